/** Calls Health/Check once over an established connection, for grpc probes. */
import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2';
import { offAbort, onAbort } from '../../../lib/abort-listeners.ts';
import { healthCheckRequest, healthStatusIn } from './health-message.ts';
import { statusOfHeaders, statusOfTrailers, type GrpcStatus } from './grpc-status.ts';

const USER_AGENT = 'kube-probe/1.36';
const ANSWER_BYTES_MAX = 10_240;
const TOO_LATE: GrpcStatus = {
  code: 'DeadlineExceeded',
  description: 'context deadline exceeded',
};
/** The names of HTTP/2's error codes, in their order. */
const RESET_NAMES =
  'NO_ERROR PROTOCOL_ERROR INTERNAL_ERROR FLOW_CONTROL_ERROR SETTINGS_TIMEOUT STREAM_CLOSED FRAME_SIZE_ERROR REFUSED_STREAM CANCEL COMPRESSION_ERROR CONNECT_ERROR ENHANCE_YOUR_CALM INADEQUATE_SECURITY HTTP_1_1_REQUIRED'.split(
    ' ',
  );

/** The name of the server's health status, or how the call failed. */
export function callHealth(
  session: ClientHttp2Session,
  service: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<string | GrpcStatus> {
  const stream = session.request({
    ':method': 'POST',
    ':path': '/grpc.health.v1.Health/Check',
    'content-type': 'application/grpc',
    te: 'trailers',
    'user-agent': USER_AGENT,
    'grpc-timeout': `${timeoutMs}m`,
  });
  return new Promise((resolve) => {
    const abort = (): void => {
      resolve(TOO_LATE);
      stream.destroy();
    };
    onAbort(signal, abort);
    stream.on('close', () => offAbort(signal, abort));
    follow(stream, resolve);
    stream.end(healthCheckRequest(service));
  });
}

function follow(stream: ClientHttp2Stream, resolve: (answer: string | GrpcStatus) => void): void {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let trailers: IncomingHttpHeaders = {};
  stream.on('response', (headers) => {
    const foreign = statusOfHeaders(headers);
    if (foreign) resolve(foreign);
    // A server that fails at once sends its trailers as its only headers.
    if ('grpc-status' in headers) trailers = headers;
  });
  stream.on('trailers', (found) => {
    trailers = found;
  });
  stream.on('data', (chunk: Uint8Array) => {
    if (size < ANSWER_BYTES_MAX) chunks.push(chunk);
    size += chunk.length;
  });
  stream.on('end', () => resolve(answerOf(trailers, Buffer.concat(chunks))));
  stream.on('error', () => undefined);
  // After a regular end this has no effect.
  stream.on('close', () => resolve(resetStatus(stream.rstCode)));
}

function answerOf(trailers: IncomingHttpHeaders, body: Uint8Array): string | GrpcStatus {
  const status = statusOfTrailers(trailers);
  if (status.code !== 'OK') return status;
  const description =
    'cardinality violation: received no response message from non-server-streaming RPC';
  return healthStatusIn(body) ?? { code: 'Internal', description };
}

function resetStatus(code: number): GrpcStatus {
  if (code === 0) return { code: 'Unavailable', description: 'error reading from server: EOF' };
  const name = RESET_NAMES[code] ?? String(code);
  return {
    code: 'Internal',
    description: `stream terminated by RST_STREAM with error code: ${name}`,
  };
}

/**
 * Derives the status of a gRPC call (a code and a description) as Go's gRPC client does: from the trailers if
 * the server speaks gRPC, else from its HTTP response.
 */
import { STATUS_CODES } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http2';
import { GRPC_STATUSES } from '../../../lib/grpc-status.ts';
import { goQuote } from '../../containers/config/go-text.ts';

export interface GrpcStatus {
  readonly code: string;
  readonly description: string;
}

const CODE_OF_HTTP = new Map([
  [400, 'Internal'],
  [401, 'Unauthenticated'],
  [403, 'PermissionDenied'],
  [404, 'Unimplemented'],
  [429, 'Unavailable'],
  [502, 'Unavailable'],
  [503, 'Unavailable'],
  [504, 'Unavailable'],
]);

type Headers = IncomingHttpHeaders & { readonly ':status'?: number | undefined };

/** Null: the server speaks gRPC, so its trailers count. */
export function statusOfHeaders(headers: Headers): GrpcStatus | null {
  const contentType = headers['content-type'];
  if (/^application\/grpc(?:$|[+;])/i.test(contentType ?? '')) return null;
  const http = headers[':status'] ?? 0;
  const message =
    contentType === undefined
      ? 'malformed header: missing HTTP content-type'
      : `transport: received unexpected content-type ${goQuote(contentType)}`;
  return {
    code: CODE_OF_HTTP.get(http) ?? 'Unknown',
    description: `unexpected HTTP status code received from server: ${http} (${STATUS_CODES[http] ?? ''}); ${message}`,
  };
}

export function statusOfTrailers(trailers: IncomingHttpHeaders): GrpcStatus {
  const { 'grpc-status': status, 'grpc-message': message } = trailers;
  if (typeof status !== 'string') {
    const description = 'server closed the stream without sending trailers';
    return { code: 'Internal', description };
  }
  const code = GRPC_STATUSES[Number(status)] ?? `Code(${status})`;
  return { code, description: unescape(typeof message === 'string' ? message : '') };
}

/** Decodes percent escapes; an invalid escape stays unchanged. */
function unescape(message: string): string {
  const bytes = message.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

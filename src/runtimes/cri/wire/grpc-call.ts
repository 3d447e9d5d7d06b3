/**
 * One gRPC call over an HTTP/2 stream: sends the request, reads the responses, and reports how the call
 * ended.
 *
 *     headers ──> messages ──> trailers with the status ──> over
 *        └── an answer without a body has the status in its headers
 *
 * A call ends exactly once: with the runtime's status, at the deadline, by the caller's abort, or with the
 * connection.
 */
import {
  constants,
  type ClientHttp2Stream,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from 'node:http2';
import { GRPC_STATUSES, type GrpcStatus } from '../../../lib/grpc-status.ts';
import { answerBroken, callError } from '../errors.ts';
import { GrpcFrameReader } from './grpc-frames.ts';

export interface GrpcCallOptions {
  readonly name: string;
  readonly stream: ClientHttp2Stream;
  readonly bytesMax: number;
  readonly onMessage: (message: Uint8Array) => void;
  /** Called once. Null: the call succeeded. */
  readonly onEnd: (error: Error | null) => void;
}

export class GrpcCall {
  readonly #options: GrpcCallOptions;
  readonly #frames: GrpcFrameReader;
  #ending: IncomingHttpHeaders | null = null;
  #httpStatus = 200;
  #failure: unknown;
  #isOver = false;

  constructor(options: GrpcCallOptions) {
    this.#options = options;
    this.#frames = new GrpcFrameReader(options.name, options.bytesMax);
    const { stream } = options;
    stream.on('response', (headers) => this.#respond(headers));
    stream.on('trailers', (headers) => (this.#ending = headers));
    stream.on('data', (chunk: Buffer) => this.#take(chunk));
    stream.on('error', (error) => (this.#failure = error));
    stream.on('close', () => this.#end(this.#outcome()));
  }

  /** Ends the call with `error`, and cancels it in the runtime. */
  cancel(error: Error): void {
    this.#end(error);
    this.#options.stream.close(constants.NGHTTP2_CANCEL);
  }

  #respond(headers: IncomingHttpHeaders): void {
    this.#httpStatus = Number(headers[':status']);
    if (headers['grpc-status'] !== undefined) this.#ending = headers;
  }

  #take(chunk: Buffer): void {
    if (this.#isOver) return;
    try {
      for (const message of this.#frames.read(chunk)) this.#options.onMessage(message);
    } catch (error) {
      this.cancel(asError(error));
    }
  }

  /** The outcome, after the stream has closed. */
  #outcome(): Error | null {
    const { name: call } = this.#options;
    if (this.#ending === null) return this.#brokenOff();
    const number = Number(this.#ending['grpc-status']);
    const status: GrpcStatus = GRPC_STATUSES[number] ?? 'Unknown';
    if (status !== 'OK') {
      const description = decodeMessage(textOf(this.#ending['grpc-message']));
      return callError({ call, status, description });
    }
    try {
      this.#frames.finish();
      return null;
    } catch (error) {
      return asError(error);
    }
  }

  #brokenOff(): Error {
    const { name: call } = this.#options;
    const http = this.#httpStatus;
    if (http !== 200) {
      return answerBroken({ call, reason: `it has the HTTP status ${http} and is not gRPC` });
    }
    const cause = this.#failure;
    const given = cause instanceof Error ? cause.message : 'the connection was closed';
    const description = `error reading from server: ${given}`;
    return callError({ call, status: 'Unavailable', description }, cause);
  }

  #end(error: Error | null): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#options.onEnd(error);
  }
}

/** The headers of a call. They carry the deadline, so that the runtime gives up by itself. */
export function headersOf(path: string, deadlineMs: number | undefined): OutgoingHttpHeaders {
  return {
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    'user-agent': 'podkeep',
    te: 'trailers',
    ...(deadlineMs !== undefined && { 'grpc-timeout': `${timeoutMs(deadlineMs)}m` }),
  };
}

/** gRPC's timeout header allows eight digits. */
function timeoutMs(deadlineMs: number): number {
  return Math.min(Math.max(1, Math.ceil(deadlineMs)), 99_999_999);
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

function textOf(header: string | string[] | undefined): string {
  return Array.isArray(header) ? header.join(', ') : (header ?? '');
}

/** Decodes the percent-encoding of gRPC messages. Malformed codes stay as they are. */
function decodeMessage(encoded: string): string {
  try {
    return decodeURIComponent(encoded.replaceAll(/%(?![0-9a-fA-F]{2})/g, '%25'));
  } catch {
    return encoded;
  }
}

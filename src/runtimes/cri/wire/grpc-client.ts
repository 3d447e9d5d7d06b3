/**
 * Calls a gRPC service on a unix socket.
 *
 * One connection carries all calls. The client opens it for the first call, and again after it was lost: the
 * first call after a restart of the runtime reconnects, and while the runtime is down every call fails
 * immediately with RUNTIME_UNAVAILABLE. Calls that were under way when the connection broke are not repeated:
 * only the caller knows whether that is safe.
 */
import { offAbort, onAbort } from '../../../lib/abort-listeners.ts';
import type { Clock } from '../../../ports/clock.ts';
import { callError } from '../errors.ts';
import { GrpcCall, headersOf } from './grpc-call.ts';
import { openConnection, type GrpcConnection } from './grpc-connection.ts';
import { frameMessage } from './grpc-frames.ts';

export interface GrpcClientOptions {
  readonly socketPath: string;
  readonly clock: Clock;
  readonly messageBytesMax?: number;
}

export interface CallOptions {
  /** The name of the call, for error messages. */
  readonly name: string;
  /** Absent: no deadline. */
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
}

/** The kubelet's limit. */
const MESSAGE_BYTES_MAX = 16 * 1024 * 1024;

export class GrpcClient {
  readonly #options: GrpcClientOptions;
  #connection: GrpcConnection | null = null;
  #connecting: Promise<GrpcConnection> | null = null;
  #isClosed = false;

  constructor(options: GrpcClientOptions) {
    this.#options = options;
  }

  /** One request, one response. */
  async unary(path: string, request: Uint8Array, options: CallOptions): Promise<Uint8Array> {
    let answer: Uint8Array | undefined;
    await this.stream(path, request, options, (message) => (answer ??= message));
    if (answer) return answer;
    const description = 'the answer has no message';
    throw callError({ call: options.name, status: 'Internal', description });
  }

  /** One request, many responses. Resolves when the runtime ends the stream. */
  async stream(
    path: string,
    request: Uint8Array,
    options: CallOptions,
    onMessage: (message: Uint8Array) => void,
  ): Promise<void> {
    options.signal?.throwIfAborted();
    const connection = await this.#connect(options.name);
    options.signal?.throwIfAborted();
    await this.#call(connection, path, request, options, onMessage);
  }

  /** Calls under way fail. */
  close(): void {
    this.#isClosed = true;
    this.#connection?.destroy();
    this.#connection = null;
  }

  #call(
    connection: GrpcConnection,
    path: string,
    request: Uint8Array,
    { name, deadlineMs, signal }: CallOptions,
    onMessage: (message: Uint8Array) => void,
  ): Promise<void> {
    const { clock, messageBytesMax: bytesMax = MESSAGE_BYTES_MAX } = this.#options;
    const begun = clock.monotonic();
    return new Promise((resolve, reject) => {
      const stream = connection.session.request(headersOf(path, deadlineMs));
      stream.once('response', () => connection.heard()).on('data', () => connection.heard());
      const call = new GrpcCall({
        name,
        stream,
        bytesMax,
        onMessage,
        onEnd: (error) => {
          cancelDeadline();
          offAbort(signal, leave);
          if (error) reject(error);
          else resolve();
        },
      });
      const leave = (): void => call.cancel(reasonOf(signal));
      const giveUp = (): void => {
        const description = 'context deadline exceeded';
        call.cancel(callError({ call: name, status: 'DeadlineExceeded', description }));
        connection.checkLife(begun);
      };
      const cancelDeadline =
        deadlineMs === undefined ? (): void => {} : clock.after(deadlineMs, giveUp);
      onAbort(signal, leave);
      stream.end(frameMessage(request));
    });
  }

  async #connect(call: string): Promise<GrpcConnection> {
    if (this.#connection?.isUsable) return this.#connection;
    if (this.#isClosed) throw this.#unavailable(call, 'the client connection is closing');
    const { socketPath, clock } = this.#options;
    this.#connecting ??= openConnection(socketPath, clock).finally(() => {
      this.#connecting = null;
    });
    try {
      const connection = await this.#connecting;
      if (this.#isClosed) connection.destroy();
      this.#connection = connection;
      return connection;
    } catch (error) {
      throw this.#unavailable(call, dialFault(socketPath, error), error);
    }
  }

  #unavailable(call: string, description: string, cause?: unknown): Error {
    return callError({ call, status: 'Unavailable', description }, cause);
  }
}

/** The same text as in other CRI clients. */
function dialFault(socketPath: string, error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const notified = new Map([
    ['ECONNREFUSED', 'connection refused'],
    ['ENOENT', 'no such file or directory'],
    ['EACCES', 'permission denied'],
  ]);
  const why = notified.get(code) ?? message;
  const dial = `dial unix ${socketPath}: connect: ${why}`;
  return `connection error: desc = "transport: Error while dialing: ${dial}"`;
}

function reasonOf(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new Error(String(reason));
}

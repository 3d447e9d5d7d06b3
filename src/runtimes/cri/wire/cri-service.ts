/** Calls a CRI service: encodes the request, makes the gRPC call, decodes the response. */
import type { Clock } from '../../../ports/clock.ts';
import { answerBroken } from '../errors.ts';
import type { Call } from '../messages/calls.ts';
import { GrpcClient } from './grpc-client.ts';

export interface CriServiceOptions {
  readonly socketPath: string;
  readonly clock: Clock;
  /** The default timeout of calls. */
  readonly requestTimeoutMs: number;
}

export interface AskOptions {
  /** 0: no timeout. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export class CriService {
  readonly #client: GrpcClient;
  readonly #requestTimeoutMs: number;

  constructor({ socketPath, clock, requestTimeoutMs }: CriServiceOptions) {
    this.#client = new GrpcClient({ socketPath, clock });
    this.#requestTimeoutMs = requestTimeoutMs;
  }

  async ask<Request, Response>(
    { path, name, request, response }: Call<Request, Response>,
    content: Request,
    { timeoutMs = this.#requestTimeoutMs, signal }: AskOptions = {},
  ): Promise<Response> {
    const answer = await this.#client.unary(path, request.write(content), {
      name,
      ...(timeoutMs > 0 && { deadlineMs: timeoutMs }),
      ...(signal && { signal }),
    });
    return readAnswer(name, response, answer);
  }

  /** Calls `hear` for each response. Resolves when the runtime ends the stream. */
  async listen<Request, Response>(
    { path, name, request, response }: Call<Request, Response>,
    content: Request,
    signal: AbortSignal,
    hear: (answer: Response) => void,
  ): Promise<void> {
    await this.#client.stream(path, request.write(content), { name, signal }, (answer) =>
      hear(readAnswer(name, response, answer)),
    );
  }

  close(): void {
    this.#client.close();
  }
}

function readAnswer<Response>(
  call: string,
  response: Call<unknown, Response>['response'],
  answer: Uint8Array,
): Response {
  try {
    return response.read(answer);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw answerBroken({ call, reason }, error);
  }
}

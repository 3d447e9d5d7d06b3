/** Exec, attach and port-forward: the runtime returns a URL, and podkeep opens the streams there. */
import type { Duplex } from 'node:stream';
import type { Clock } from '../../../ports/clock.ts';
import type { StreamRequest, Streams } from '../../../ports/runtime/streams.ts';
import { RUNTIME_CALLS } from '../messages/calls.ts';
import type { CriService } from '../wire/cri-service.ts';
import { openCommandStreams } from './command-streams.ts';
import { openPortStream } from './port-stream.ts';

export class CriStreaming {
  readonly #service: CriService;
  readonly #clock: Clock;

  constructor(service: CriService, clock: Clock) {
    this.#service = service;
    this.#clock = clock;
  }

  async exec(
    containerId: string,
    cmd: readonly string[],
    request: StreamRequest,
  ): Promise<Streams> {
    const asked = { containerId, cmd, ...wishesOf(request) };
    const { signal } = request;
    const { url } = await this.#service.ask(RUNTIME_CALLS.exec, asked, { signal });
    return openCommandStreams({ url, what: 'exec', request, clock: this.#clock });
  }

  async attach(containerId: string, request: StreamRequest): Promise<Streams> {
    const asked = { containerId, ...wishesOf(request) };
    const { signal } = request;
    const { url } = await this.#service.ask(RUNTIME_CALLS.attach, asked, { signal });
    return openCommandStreams({ url, what: 'attach', request, clock: this.#clock });
  }

  async connectPort(podSandboxId: string, port: number): Promise<Duplex> {
    const asked = { podSandboxId, port: [port] };
    const { url } = await this.#service.ask(RUNTIME_CALLS.portForward, asked);
    return openPortStream({ url, sandboxId: podSandboxId, port, clock: this.#clock });
  }
}

/** A terminal has one output; runtimes refuse a request for stderr beside it. */
function wishesOf({ stdin, stdout, stderr, tty }: StreamRequest) {
  return { stdin, stdout, stderr: stderr && !tty, tty };
}

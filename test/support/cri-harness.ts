/** A fake container runtime: it decodes CRI's calls, and a test answers them with objects. */
import { onTestFinished } from 'vitest';
import { systemClock } from '../../src/platform/system-clock.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { PodRuntime } from '../../src/ports/runtime/pod-runtime.ts';
import { openCriRuntime } from '../../src/runtimes/cri/cri-runtime.ts';
import type { Message } from '../../src/runtimes/cri/messages/message.ts';
import {
  StatusResponse,
  VersionResponse,
} from '../../src/runtimes/cri/messages/runtime-messages.ts';
import { GrpcHarness, type Answer, type Handler } from './grpc-harness.ts';
import { silentLog } from './silent-ports.ts';
import { makeTempFolder } from './temp-folder.ts';

export class CriHarness {
  readonly grpc = new GrpcHarness(makeTempFolder());

  /** Ready, and without events, unless a test says otherwise. */
  static async start(): Promise<CriHarness> {
    const harness = new CriHarness();
    const version = { runtimeName: 'containerd', runtimeVersion: 'v2.1.4' };
    harness.answer('Version', () => VersionResponse.write(version));
    const conditions = ['RuntimeReady', 'NetworkReady'].map((type) => ({ type, status: true }));
    harness.answer('Status', () => StatusResponse.write({ status: { conditions } }));
    await harness.grpc.start();
    onTestFinished(() => harness.grpc.stop());
    return harness;
  }

  get endpoint(): string {
    return `unix://${this.grpc.socketPath}`;
  }

  /** By the name of the call, whichever service it belongs to. */
  answer(name: string, handler: Handler): void {
    for (const service of ['RuntimeService', 'ImageService']) {
      this.grpc.handlers.set(`/runtime.v1.${service}/${name}`, handler);
    }
  }

  /** Decodes requests, and encodes responses. */
  reply<Asked, Reply>(
    name: string,
    asks: Message<Asked, unknown>,
    answers: Message<unknown, Reply>,
    reply: (asked: Asked) => Reply | Extract<Answer, { status: number }>,
  ): void {
    this.answer(name, (bytes) => {
      const given = reply(asks.read(bytes));
      return isStatus(given) ? given : answers.write(given);
    });
  }

  countOf(name: string): number {
    return this.grpc.calls.filter((headers) => String(headers[':path']).endsWith(`/${name}`))
      .length;
  }

  async open(clock: Clock = systemClock): Promise<PodRuntime> {
    const { endpoint } = this;
    const runtime = await openCriRuntime({ endpoint, clock, log: silentLog });
    onTestFinished(() => runtime.close());
    return runtime;
  }
}

function isStatus(given: unknown): given is Extract<Answer, { status: number }> {
  return (
    typeof given === 'object' &&
    given !== null &&
    'status' in given &&
    typeof given.status === 'number'
  );
}

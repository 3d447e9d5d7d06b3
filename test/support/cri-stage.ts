/** A container runtime that a test plays: it hears CRI's calls and answers them with objects. */
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
import { GrpcStage, type Answer, type Handler } from './grpc-stage.ts';
import { silentLog } from './silent-ports.ts';
import { makeTempFolder } from './temp-folder.ts';

export class CriStage {
  readonly grpc = new GrpcStage(makeTempFolder());

  /** Ready, and without events, unless a test says otherwise. */
  static async start(): Promise<CriStage> {
    const stage = new CriStage();
    const version = { runtimeName: 'containerd', runtimeVersion: 'v2.1.4' };
    stage.answer('Version', () => VersionResponse.write(version));
    const conditions = ['RuntimeReady', 'NetworkReady'].map((type) => ({ type, status: true }));
    stage.answer('Status', () => StatusResponse.write({ status: { conditions } }));
    await stage.grpc.start();
    onTestFinished(() => stage.grpc.stop());
    return stage;
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

  /** Reads what is asked, and writes what is answered. */
  reply<Asked, Reply>(
    name: string,
    asks: Message<Asked, unknown>,
    answers: Message<unknown, Reply>,
    reply: (asked: Asked) => Reply | Extract<Answer, { status: number }>,
  ): void {
    this.answer(name, (bytes) => {
      const said = reply(asks.read(bytes));
      return isStatus(said) ? said : answers.write(said);
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

function isStatus(said: unknown): said is Extract<Answer, { status: number }> {
  return (
    typeof said === 'object' && said !== null && 'status' in said && typeof said.status === 'number'
  );
}

/** Serves the logs of simulated containers from memory, byte for byte as a file on disk would have them. */
import type { LogFile, LogSource } from '../../ports/pod/log-source.ts';
import type { ContainerRun } from '../../ports/pod/pod-files.ts';
import type { SimulatedContainer, LogLine } from './container.ts';
import type { SimulatedMachine } from './machine.ts';

export class SimulatedLogSource implements LogSource {
  readonly #machine: SimulatedMachine;

  constructor(machine: SimulatedMachine) {
    this.#machine = machine;
  }

  nameOf({ pod, container, attempt }: ContainerRun): string {
    return `${pod.namespace}/${pod.name}/${container}/${attempt}.log`;
  }

  open(run: ContainerRun): Promise<LogFile | null> {
    const container = this.#find(run);
    return Promise.resolve(container ? new MemoryLogFile(container.log) : null);
  }

  watch(run: ContainerRun, changed: () => void): () => void {
    return this.#find(run)?.listen(changed) ?? (() => {});
  }

  #find({ pod, container, attempt }: ContainerRun): SimulatedContainer | undefined {
    return this.#machine.findRun(pod.uid, container, attempt);
  }
}

class MemoryLogFile implements LogFile {
  readonly #lines: readonly LogLine[];
  #bytes: Buffer = Buffer.alloc(0);
  #written = 0;

  constructor(lines: readonly LogLine[]) {
    this.#lines = lines;
  }

  size(): Promise<number> {
    return Promise.resolve(this.#catchUp().length);
  }

  read(position: number, length: number): Promise<Uint8Array> {
    return Promise.resolve(this.#catchUp().subarray(position, position + length));
  }

  isReplaced(): Promise<boolean> {
    return Promise.resolve(false);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #catchUp(): Buffer {
    if (this.#written === this.#lines.length) return this.#bytes;
    const text = this.#lines.slice(this.#written).map(entryOf).join('');
    this.#written = this.#lines.length;
    this.#bytes = Buffer.concat([this.#bytes, Buffer.from(text)]);
    return this.#bytes;
  }
}

function entryOf({ atMs, stream, text, isPartial }: LogLine): string {
  const stamp = new Date(atMs).toISOString().replace('Z', '000000Z');
  return `${stamp} ${stream} ${isPartial ? 'P' : 'F'} ${text}\n`;
}

/**
 * `podkeep up` as a process of its own, as people start it, in a folder that goes with it.
 *
 * PODKEEP_BENCH_PROGRAM names another build of it, for whoever compares two.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { locateDataFolder, type DataFolder } from '../src/cli/data-folder.ts';

const ROOT = path.join(import.meta.dirname, '..');
const PROGRAM = process.env['PODKEEP_BENCH_PROGRAM'] ?? path.join(ROOT, 'bin', 'podkeep');
const STOP_MS = 30_000;
const TICKS_PER_SECOND = 100;
const living = new Set<ChildProcess>();

// Whatever ends this process, nothing goes on without it.
process.on('exit', () => {
  for (const child of living) child.kill('SIGTERM');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

/** Why it cannot be started at all; null: it can. */
export function whyNoProgram(): string | null {
  const isBuilt = existsSync(path.join(path.dirname(PROGRAM), '..', 'dist', 'main.js'));
  return isBuilt ? null : 'dist is missing: npm run build';
}

export class NodeProgram {
  readonly folder: DataFolder;
  readonly startedMs: number;
  readonly #home: string;
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  #said = '';
  #listeners: (() => void)[] = [];

  constructor(options: readonly string[] = [], config?: object) {
    this.#home = mkdtempSync(path.join(tmpdir(), 'podkeep-bench-'));
    this.folder = locateDataFolder(path.join(this.#home, 'data'), {});
    const words = ['--port', '0', '--output', 'json', '--name', 'bench', ...options];
    if (config) {
      const file = path.join(this.#home, 'config.yaml');
      writeFileSync(file, JSON.stringify(config));
      words.push('--config', file);
    }
    const args = [PROGRAM, 'up', '--data-dir', this.folder.root, ...words];
    this.startedMs = performance.now();
    this.#child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    living.add(this.#child);
    this.#ended = once(this.#child, 'exit').then(() => {
      living.delete(this.#child);
      this.#tell();
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#said += text;
        this.#tell();
      });
    }
  }

  get #hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Resolves when it has told of this event, with what it told. */
  async heard(event: string): Promise<Readonly<Record<string, unknown>>> {
    for (;;) {
      const line = this.#said.split('\n').find((each) => each.includes(`"event":"${event}"`));
      if (line !== undefined) return JSON.parse(line) as Readonly<Record<string, unknown>>;
      if (this.#hasEnded) throw new Error(`podkeep ended before ${event}:\n${this.#said}`);
      await new Promise<void>((resolve) => this.#listeners.push(resolve));
    }
  }

  /** Megabytes that it has in memory, itself. */
  residentMb(): number {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? Number.NaN) / 1024;
  }

  /** Milliseconds of CPU that it has used so far, and those that it started and that have ended. */
  cpuMs(): { readonly own: number; readonly children: number } {
    const stat = readFileSync(`/proc/${this.#child.pid}/stat`, 'utf8');
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(11, 15);
    const ms = (ticks: number): number => (ticks * 1000) / TICKS_PER_SECOND;
    return { own: ms(user + system), children: ms(childUser + childSystem) };
  }

  async stop(): Promise<void> {
    if (!this.#hasEnded) {
      this.#child.kill('SIGTERM');
      const force = setTimeout(() => this.#child.kill('SIGKILL'), STOP_MS);
      await this.#ended;
      clearTimeout(force);
    }
    rmSync(this.#home, { recursive: true, force: true, maxRetries: 3 });
  }

  #tell(): void {
    const listeners = this.#listeners;
    this.#listeners = [];
    for (const listener of listeners) listener();
  }
}

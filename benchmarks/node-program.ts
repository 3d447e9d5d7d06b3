/**
 * Runs `podkeep up` as a process with a temporary data folder.
 *
 * PODKEEP_BENCH_PROGRAM names another build of podkeep, to compare two.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { locateDataFolder, type DataFolder } from '../src/cli/data-folder.ts';
import { treeCpuMs } from './process-cpu.ts';

const ROOT = path.join(import.meta.dirname, '..');
const PROGRAM = process.env['PODKEEP_BENCH_PROGRAM'] ?? path.join(ROOT, 'bin', 'podkeep');
const STOP_MS = 30_000;
const TICKS_PER_SECOND = 100;
const living = new Set<ChildProcess>();

// The program ends with this process.
process.on('exit', () => {
  for (const child of living) child.kill('SIGTERM');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

/** Why the program cannot be started. Null: it can. */
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
  #given = '';
  #listeners: (() => void)[] = [];

  constructor(options: readonly string[] = [], config?: object, file = PROGRAM) {
    this.#home = mkdtempSync(path.join(tmpdir(), 'podkeep-bench-'));
    this.folder = locateDataFolder(path.join(this.#home, 'data'), {});
    const words = ['--port', '0', '--output', 'json', '--name', 'bench', ...options];
    if (config) {
      const settings = path.join(this.#home, 'config.yaml');
      writeFileSync(settings, JSON.stringify(config));
      words.push('--config', settings);
    }
    const args = [file, 'up', '--data-dir', this.folder.root, ...words];
    this.startedMs = performance.now();
    this.#child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    living.add(this.#child);
    this.#ended = once(this.#child, 'exit').then(() => {
      living.delete(this.#child);
      this.#notify();
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#given += text;
        this.#notify();
      });
    }
  }

  get #hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Resolves with the fields of the event when the program has printed it. */
  async heard(event: string): Promise<Readonly<Record<string, unknown>>> {
    for (;;) {
      const line = this.#given.split('\n').find((each) => each.includes(`"event":"${event}"`));
      if (line !== undefined) return JSON.parse(line) as Readonly<Record<string, unknown>>;
      if (this.#hasEnded) throw new Error(`podkeep ended before ${event}:\n${this.#given}`);
      await new Promise<void>((resolve) => this.#listeners.push(resolve));
    }
  }

  /** Resident megabytes of the process itself. */
  residentMb(): number {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? Number.NaN) / 1024;
  }

  /** CPU milliseconds so far: of the process itself, and of its child processes that have ended. */
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

  /** CPU milliseconds of the program and all its descendants, running or ended. */
  treeCpuMs(): number {
    return treeCpuMs(this.#child.pid ?? 0);
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

  #notify(): void {
    const listeners = this.#listeners;
    this.#listeners = [];
    for (const listener of listeners) listener();
  }
}

/** A private dbus-daemon with a fake logind on it (fake-login1.py). Nothing of the machine's own bus is used. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished, vi } from 'vitest';
import { makeTempFolder } from '../support/temp-folder.ts';

const FAKE = path.join(import.meta.dirname, 'fake-login1.py');
const PATIENCE = { timeout: 20_000, interval: 20 };

/** Empty: the tests can run here. */
export const MISSING = ['dbus-daemon', 'python3', 'perl'].filter(
  (program) => spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0,
);

export class LogindHarness {
  readonly folder = makeTempFolder();
  /** What the fake logind has seen, in order. */
  readonly seen: string[] = [];
  #daemon: ChildProcess | undefined;
  #login: ChildProcess | undefined;

  get address(): string {
    return `unix:path=${this.#socket}`;
  }

  get #socket(): string {
    return path.join(this.folder, 'bus');
  }

  static async start(delaySeconds = 5): Promise<LogindHarness> {
    const harness = new LogindHarness();
    onTestFinished(() => harness.stop());
    await harness.start(delaySeconds);
    return harness;
  }

  async start(delaySeconds = 5): Promise<void> {
    const config = path.join(this.folder, 'bus.conf');
    writeFileSync(
      config,
      `<busconfig><type>custom</type><listen>${this.address}</listen><auth>EXTERNAL</auth>` +
        '<policy context="default"><allow send_destination="*" eavesdrop="true"/>' +
        '<allow eavesdrop="true"/><allow own="*"/></policy></busconfig>',
    );
    rmSync(this.#socket, { force: true });
    const args = [`--config-file=${config}`, '--nofork', '--nopidfile'];
    this.#daemon = spawn('dbus-daemon', args, { stdio: 'ignore' });
    await vi.waitUntil(() => existsSync(this.#socket), PATIENCE);
    const readyBefore = this.#count('ready');
    const login = spawn('python3', [FAKE, this.#socket, String(delaySeconds)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#login = login;
    createInterface({ input: login.stdout }).on('line', (line) => this.seen.push(line));
    await vi.waitUntil(() => this.#count('ready') > readyBefore, PATIENCE);
  }

  /** Ends the bus, and the fake logind with it. */
  async stop(): Promise<void> {
    const ended = [this.#daemon, this.#login].map(
      (child) =>
        new Promise<void>((resolve) => {
          if (!child || child.exitCode !== null || child.signalCode !== null) return resolve();
          child.once('exit', () => resolve());
          child.kill('SIGKILL');
        }),
    );
    await Promise.all(ended);
  }

  /** `announce`, `cancel`, `forge` or `delay SECONDS`. */
  say(line: string): void {
    this.#login?.stdin?.write(`${line}\n`);
  }

  async sees(line: string, count = 1): Promise<void> {
    await vi.waitUntil(() => this.#count(line) >= count, PATIENCE);
  }

  #count(line: string): number {
    return this.seen.filter((one) => one === line).length;
  }
}

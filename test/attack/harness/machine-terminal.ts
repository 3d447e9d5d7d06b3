/**
 * A terminal of the machine with the owner that attackers have, as a user who is logged in would have.
 * What is written to it is recorded by script(1), and what is typed into it is read by a cat.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chmodSync, chownSync, existsSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { waitFor } from '../../e2e/support/patience.ts';
import { ATTACKER } from './pods.ts';
import type { Target } from './target.ts';

export class MachineTerminal {
  readonly #record: string;
  readonly #child: ChildProcess;
  /** Its number below /dev/pts. */
  number = -1;

  private constructor(target: Target) {
    this.#record = path.join(target.folder, 'typescript');
    const words = [...target.account.prefix, 'script', '-qfc', 'exec cat', this.#record];
    const [command = '', ...args] = words;
    // Its input is a pipe that stays open and silent.
    this.#child = spawn(command, args, { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
    this.#child.on('error', () => undefined);
  }

  /** Undefined: this machine has no script(1). */
  static async open(target: Target): Promise<MachineTerminal | undefined> {
    if (spawnSync('script', ['--version'], { stdio: 'ignore' }).error) return undefined;
    const terminal = new MachineTerminal(target);
    const patience = { what: 'a terminal', deadlineMs: 5000 };
    const name = await waitFor(patience, () => terminal.#find());
    terminal.number = Number(path.basename(name));
    if (process.getuid?.() === 0 && target.isRoot) chownSync(name, ATTACKER, ATTACKER);
    chmodSync(name, 0o622);
    return terminal;
  }

  /** All that was written to it so far. */
  get text(): string {
    return existsSync(this.#record) ? readFileSync(this.#record, 'latin1') : '';
  }

  close(): void {
    const { pid } = this.#child;
    if (pid === undefined || this.#child.exitCode !== null) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // It has just ended.
    }
  }

  #find(): string | undefined {
    const listed = spawnSync('ps', ['-o', 'pid=', '--ppid', String(this.#child.pid)]);
    for (const pid of listed.stdout.toString().trim().split(/\s+/)) {
      try {
        const name = readlinkSync(`/proc/${pid}/fd/0`);
        if (name.startsWith('/dev/pts/')) return name;
      } catch {
        // It does not exist yet.
      }
    }
    return undefined;
  }
}

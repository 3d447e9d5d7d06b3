/**
 * Processes of the machine that have nothing to do with pods and must stay as they are: one of the user
 * who runs podkeep, and, if root runs the suite, one with the very user ID that attackers have.
 * Each has a canary in its environment, and a key in the keyring of its user.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { TrustedAccount } from './account.ts';
import type { Canaries } from './canaries.ts';
import { ATTACKER } from './pods.ts';

/** Puts a key into the keyring of its user, lets every process of that user read it, and waits. */
const ADD_KEY = `
  my ($add, $control) = (${process.arch === 'arm64' ? '217, 219' : '248, 250'});
  my ($type, $name, $key) = ('user', 'podkeep-attack', $ENV{KEY});
  my $serial = syscall($add, $type, $name, $key, length $key, -4);
  syscall($control, 5, $serial + 0, 0x3f3f3f3f) if $serial > 0;
  delete $ENV{KEY};
  exec 'sleep', '1800';`;

export class Bystanders {
  readonly #children: ChildProcess[] = [];

  constructor(account: TrustedAccount, canaries: Canaries) {
    const env = {
      CANARY: canaries.value('the environment of a process of the machine'),
      KEY: canaries.value('a key of a user of the machine'),
    };
    const start = (prefix: readonly string[]): void => {
      // Bounded in time, in case the suite is killed.
      const [command, ...args] = [...prefix, 'perl', '-e', ADD_KEY];
      const path = process.env['PATH'] ?? '';
      const child = spawn(command, args, {
        env: { ...env, PATH: path },
        stdio: 'ignore',
        cwd: '/',
      });
      child.on('error', () => undefined);
      this.#children.push(child);
    };
    start(account.prefix);
    if (process.getuid?.() === 0) {
      const ids = [`--reuid=${ATTACKER}`, `--regid=${ATTACKER}`, '--clear-groups'];
      start(['setpriv', ...ids, '--']);
    }
  }

  get pids(): readonly number[] {
    return this.#children.flatMap(({ pid }) => (pid === undefined ? [] : [pid]));
  }

  /** Those that an attacker has ended, stopped or traces. */
  get harmed(): readonly string[] {
    return this.#children.flatMap(({ pid = 0, exitCode, signalCode }) => {
      if (exitCode !== null || signalCode !== null) return [`process ${pid} was ended`];
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      const state = /^State:\s+([Tt])/m.exec(status)?.[1];
      const tracer = /^TracerPid:\s+([1-9]\d*)/m.exec(status)?.[1];
      return state || tracer ? [`process ${pid} was stopped or is traced`] : [];
    });
  }

  end(): void {
    for (const child of this.#children) child.kill('SIGKILL');
  }
}

/** Runs exec for containers without isolation, on machines without the syscall helper. */
import { spawn, type ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { PassThrough, type Duplex } from 'node:stream';
import type { RunningExec } from '../../../lib/syscall-helper/exec-pipes.ts';
import type { Machine } from '../machine/machine.ts';
import type { ContainerRecord } from '../container/records.ts';
import { runScript } from './run-script.ts';
import { plainChain, TOOL_ENV } from './spawn-init.ts';

export interface ShellExec {
  readonly record: ContainerRecord;
  readonly machine: Machine;
  readonly command: readonly string[];
  readonly env: ContainerRecord['env'];
  readonly stdin: boolean;
}

/** The descriptor of the script that sets variables and becomes the command. */
const SCRIPT_FD = 4;

export function shellExec(request: ShellExec): RunningExec {
  const { record, machine, command, env, stdin } = request;
  const args = plainChain(record, machine);
  const line = 'exec "$@" 5<&0 <&4';
  const child = spawn(machine.tools.sh ?? 'sh', ['-c', line, 'sh', ...args], {
    cwd: '/',
    env: TOOL_ENV,
    detached: true,
    stdio: [stdin ? 'pipe' : 'ignore', 'pipe', 'pipe', 'ignore', 'pipe'],
  });
  const { workingDir } = record;
  sendScript(child, runScript({ argv: command, env, workingDir, reports: false }));
  child.stdin?.on('error', () => undefined);
  const exited = new Promise<number>((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => resolve(exitCodeOf(code, signal)));
  });
  exited.catch(() => undefined);
  return {
    pid: child.pid ?? 0,
    stdin: child.stdin ?? new PassThrough(),
    stdout: child.stdout ?? new PassThrough().end(),
    stderr: child.stderr ?? new PassThrough().end(),
    exited,
    resize: () => undefined,
    kill: () => endGroup(child),
  };
}

function sendScript(child: ChildProcess, script: string): void {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const pipe = child.stdio[SCRIPT_FD] as Duplex | null | undefined;
  pipe?.on('error', () => undefined);
  pipe?.end(script);
}

/** Kills the command and its process group. A process that left the group ends with the container. */
function endGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The command has just ended.
  }
}

function exitCodeOf(code: number | null, signal: NodeJS.Signals | null): number {
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
}

/** Commands that are run inside a container that runs: with its view, its user and its variables. */
import { spawn, type ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import type { Duplex } from 'node:stream';
import path from 'node:path';
import { hasProgram } from './container-record.ts';
import type { Container } from './container.ts';
import { containerNotRunning, containerNotStarted } from './errors.ts';
import { enteringChain, joiningChain } from './launch.ts';
import type { Machine } from './machine.ts';
import { insideOf, TOOL_ENV } from './preparation.ts';
import { runScript } from './run-script.ts';
import { quoteWord } from './shell-words.ts';
import { terminalCommand } from './terminal.ts';

export interface Entry {
  readonly container: Container;
  readonly machine: Machine;
  readonly command: readonly string[];
  readonly stdin: boolean;
  readonly tty: boolean;
}

/** The script that sets variables and becomes the command comes by this descriptor. */
const SCRIPT_FD = 4;

/** Starts it. Its streams are pipes; a container that is gone is CONTAINER_NOT_RUNNING. */
export function enter(entry: Entry): ChildProcess {
  const { container, machine, stdin, tty } = entry;
  const { record, place, init, state, command } = container;
  if (!init || !command || state !== 'running') throw containerNotRunning({ id: record.id, state });
  if (!hasProgram(record.imageRoot, '/bin/sh')) {
    throw containerNotStarted({ name: record.config.name, reason: 'its image has no /bin/sh' });
  }
  const root = machine.isolation === 'none' ? '/' : path.join(place, 't', 'r');
  const hasOwnPids = machine.hasProcesses && record.processes !== 'host';
  const chain = [
    ...enteringChain(machine, init.pid, hasOwnPids),
    ...joiningChain(insideOf(record, machine, root), command.pid),
  ];
  const isTerminal = tty && machine.tools.script !== undefined;
  const joins = record.cgroups.map(
    (group) => `{ echo 0 >${quoteWord(`${group}/cgroup.procs`)}; } 2>/dev/null; `,
  );
  const words = isTerminal ? terminalCommand(machine, chain, record.user.uid) : chain;
  const line = `${joins.join('')}exec "$@"${isTerminal ? '' : ' 5<&0 <&4'}`;
  const child = spawn(machine.tools.sh ?? 'sh', ['-c', line, 'sh', ...words], {
    cwd: '/',
    env: TOOL_ENV,
    detached: true,
    stdio: [stdin ? 'pipe' : 'ignore', 'pipe', 'pipe', 'ignore', 'pipe'],
  });
  sendScript(child, entry);
  return child;
}

function sendScript(child: ChildProcess, { container, machine, command }: Entry): void {
  const { env, workingDir } = container.record;
  const isPlain = machine.isolation === 'none';
  const script = runScript({
    argv: command,
    env: isPlain ? [['PODKEEP_ROOT', container.place], ...env] : env,
    // Only root's way in has gone to its folder already.
    workingDir: machine.isolation === 'root' ? undefined : workingDir,
    reports: false,
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const pipe = child.stdio[SCRIPT_FD] as Duplex | null | undefined;
  pipe?.on('error', () => undefined);
  pipe?.end(script);
}

/** Ends it and what it started; a command that went its own ways ends with its container. */
export function endEntry(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has just ended by itself.
  }
}

export function exitCodeOf(code: number | null, signal: NodeJS.Signals | null): number {
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
}

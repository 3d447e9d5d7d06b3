/**
 * Terminals, without a native module: script(1) makes one, runs a command in it, and copies what goes
 * in and out. It is on every Linux and on macOS, and does not need podkeep to stay alive.
 */
import { execFile } from 'node:child_process';
import { readlinkSync } from 'node:fs';
import type { Clock } from '../../ports/clock.ts';
import type { Machine } from './machine.ts';
import { readProcesses } from './proc-table.ts';
import { quoteWords } from './shell-words.ts';

const TERMINAL_WAIT_MS = 20;

/**
 * Runs `chain` in a terminal. The chain ends in a shell that reads its commands; they come by
 * descriptor 4, and the terminal is handed on as descriptor 5.
 */
export function terminalCommand(
  machine: Machine,
  chain: readonly string[],
  owner: number,
): readonly string[] {
  const { script = 'script', sh = 'sh', chown } = machine.tools;
  // It belongs to whoever made it; a program that opens it by name must be its owner.
  const own = machine.uid === 0 && machine.isLinux ? `${chown} ${owner} /proc/self/fd/0; ` : '';
  const line = `${own}exec ${quoteWords(chain)} 5<&0 <&4`;
  return machine.isLinux
    ? [script, '-qefc', line, '/dev/null']
    : [script, '-q', '/dev/null', sh, '-c', line];
}

export interface TerminalRun {
  readonly machine: Machine;
  readonly clock: Clock;
  /** Of script(1). */
  readonly pid: number;
  readonly isOver: () => boolean;
}

/** A window is told of as soon as somebody looks, often before its terminal is made: it then waits. */
export function windowOf(run: TerminalRun): (columns: number, rows: number) => void {
  let wanted: readonly [columns: number, rows: number] | undefined;
  const settle = (): void => {
    if (!wanted || run.isOver()) return;
    if (resizeTerminal(run.machine, run.pid, ...wanted)) wanted = undefined;
    else run.clock.after(TERMINAL_WAIT_MS, settle);
  };
  return (columns, rows) => {
    const isWaiting = wanted !== undefined;
    wanted = [columns, rows];
    if (!isWaiting) settle();
  };
}

/** Tells the programs in a terminal how large its window is now. False: there is none yet. */
export function resizeTerminal(
  machine: Machine,
  pid: number,
  columns: number,
  rows: number,
): boolean {
  if (machine.tools.stty === undefined) return true;
  const terminal = terminalOf(pid);
  if (terminal === undefined) return false;
  const size = ['cols', String(columns), 'rows', String(rows)];
  // A window that is gone needs no size.
  execFile(machine.tools.stty, ['-F', terminal, ...size], () => undefined);
  return true;
}

function terminalOf(script: number): string | undefined {
  for (const { pid, parent } of readProcesses()) {
    if (parent !== script) continue;
    try {
      const file = readlinkSync(`/proc/${pid}/fd/1`);
      if (file.startsWith('/dev/pts/')) return file;
    } catch {
      // It has just ended, or does not belong to us.
    }
  }
  return undefined;
}

/** Reads what init has written down: who it is, and what has become of its container. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isMissing } from './json-file.ts';
import type { ProcessIdentity } from './proc-table.ts';

export interface Claim {
  readonly init: ProcessIdentity;
  readonly bootId: string;
  readonly claimedAtMs: number;
}

export interface Notes {
  readonly main?: ProcessIdentity;
  readonly isRunning: boolean;
  /** Why it never ran. */
  readonly failure?: string;
  readonly exitCode?: number;
}

/** Room for all that init writes, so that a full disk cannot keep it from writing. */
export const NOTES_ROOM = `${' '.repeat(511)}\n`;

/** Undefined: nobody runs it yet, or the one who will is just writing. */
export function parseClaim(text: string, claimedAtMs: number): Claim | undefined {
  const [pid = '', start = '', bootId = ''] = text.split(' ');
  if (!text.endsWith('\n') || !/^\d+$/.test(pid)) return undefined;
  const init = { pid: Number(pid), start: start === '-' ? '' : start };
  return { init, bootId: bootId.trim(), claimedAtMs };
}

/** A line without its end is not written yet. */
export function parseNotes(text: string): Notes {
  let notes: Notes = { isRunning: false };
  for (const line of text.split('\n').slice(0, -1)) {
    const [word, first = '', second = ''] = line.trim().split(' ');
    if (word === 'main') notes = { ...notes, main: { pid: Number(first), start: second } };
    else if (word === 'running') notes = { ...notes, isRunning: true };
    else if (word === 'exit') notes = { ...notes, exitCode: Number(first) };
    else if (word === 'failed') notes = { ...notes, failure: line.trim().slice('failed '.length) };
  }
  return notes;
}

export function readNotes(folder: string): Notes {
  return parseNotes(readText(path.join(folder, 'state')));
}

/** What the programs said that came before the command. */
export function readTrouble(folder: string): string {
  return readText(path.join(folder, 'trouble')).trim().split('\n').slice(0, 3).join('; ');
}

export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (isMissing(error)) return '';
    throw error;
  }
}

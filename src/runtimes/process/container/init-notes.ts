/**
 * Reads the two files of a container's monitor: `claim` (which process runs the container) and `state` (notes
 * about its progress and exit). An init of an old container writes the same files.
 */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isMissing } from '../json-file.ts';
import type { ProcessIdentity } from '../machine/proc-table.ts';

export interface Claim {
  readonly init: ProcessIdentity;
  /** The session that identifies the container's processes where they have no process namespace. */
  readonly session: number;
  readonly bootId: string;
  readonly claimedAtMs: number;
}

export interface Notes {
  /** The first process inside. Absent: there is no monitor outside, and the claim names the init. */
  readonly init?: ProcessIdentity;
  readonly main?: ProcessIdentity;
  readonly isRunning: boolean;
  /** Why the command never ran. */
  readonly failure?: string;
  readonly exitCode?: number;
}

/** Reserves the space of all notes of a monitor, so that a full disk cannot prevent them. */
export const NOTES_SPACE = `${' '.repeat(511)}\n`;

/** A claim that no process owns: it keeps the container from starting. */
const NO_CLAIM = 'nobody\n';
/** An init writes its identity immediately after it created its claim; after this time it is assumed dead. */
const CLAIM_MS_MAX = 5000;

/** Undefined: no process has claimed the container, or the claim is still being written. */
export function parseClaim(text: string, claimedAtMs: number): Claim | undefined {
  const [pid = '', start = '', bootId = '', session = ''] = text.trimEnd().split(' ');
  if (!text.endsWith('\n') || !/^\d+$/.test(pid) || !/^\d+$/.test(session)) return undefined;
  return { init: identityOf(pid, start), session: Number(session), bootId, claimedAtMs };
}

/** Ignores a last line without a newline: it is still being written. */
export function parseNotes(text: string): Notes {
  const found = new Map<string, string>();
  for (const line of text.split('\n').slice(0, -1)) {
    const [, word = '', rest = ''] = /^(\w+) ?(.*?) *$/.exec(line) ?? [];
    found.set(word, rest);
  }
  const [main, exit, failure] = [found.get('main'), found.get('exit'), found.get('failed')];
  const [pid = '', start = ''] = main?.split(' ') ?? [];
  const init = found.get('init')?.split(' ');
  return {
    ...(init === undefined ? {} : { init: identityOf(init[0] ?? '', init[1] ?? '-') }),
    isRunning: found.has('running'),
    ...(main === undefined ? {} : { main: identityOf(pid, start) }),
    ...(exit === undefined ? {} : { exitCode: Number(exit) }),
    ...(failure === undefined ? {} : { failure }),
  };
}

/** A dash means that the system does not report the start time. */
function identityOf(pid: string, start: string): ProcessIdentity {
  return { pid: Number(pid), start: start === '-' ? '' : start };
}

export function readNotes(folder: string): Notes {
  return parseNotes(readText(path.join(folder, 'state')));
}

/** The time of the last note. */
export function notesTimeMs(folder: string): number | undefined {
  return statSync(path.join(folder, 'state'), { throwIfNoEntry: false })?.mtimeMs;
}

/** The output of the programs that ran before the command. */
export function readTrouble(folder: string): string {
  const first = readText(path.join(folder, 'trouble')).trim().split('\n').slice(0, 3);
  // Programs that run inside the container, before the command, write to the command's stderr.
  const last = readText(path.join(folder, 'stderr')).trim().split('\n').slice(-2);
  return first.join('; ') || last.join('; ');
}

export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (isMissing(error)) return '';
    throw error;
  }
}

export function readClaim(folder: string): Claim | undefined {
  const file = path.join(folder, 'claim');
  const text = readText(file);
  return text === '' ? undefined : parseClaim(text, statSync(file).mtimeMs);
}

/**
 * Claims the container so that it never starts: the claim is created exclusively, and an init that finds it
 * exits. False: an init has claimed the container, or is about to write its identity.
 */
export function claimForRemoval(folder: string, nowMs: number): boolean {
  const file = path.join(folder, 'claim');
  try {
    writeFileSync(file, NO_CLAIM, { flag: 'wx' });
    return true;
  } catch {
    const claimedAtMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
    if (claimedAtMs === undefined || readText(file) === NO_CLAIM) return true;
    // An init that has not written its identity by now was killed, perhaps with the machine.
    return readClaim(folder) === undefined && nowMs - claimedAtMs > CLAIM_MS_MAX;
  }
}

/** Whether a podkeep may have started an init for this container: it can claim the container at any time. */
export function isPrepared(folder: string): boolean {
  return existsSync(path.join(folder, 'state'));
}

/** Reads the notes of a container's monitor: its identity, and what happened to the container. */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isMissing } from '../json-file.ts';
import type { ProcessIdentity } from '../machine/proc-table.ts';

export interface Claim {
  readonly init: ProcessIdentity;
  /** What the processes of the container share where they have no namespace. */
  readonly session: number;
  readonly bootId: string;
  readonly claimedAtMs: number;
}

export interface Notes {
  /** The first process inside, where a monitor stands outside. */
  readonly init?: ProcessIdentity;
  readonly main?: ProcessIdentity;
  readonly isRunning: boolean;
  /** Why it never ran. */
  readonly failure?: string;
  readonly exitCode?: number;
}

/** Space for all notes of a monitor, so that a full disk cannot prevent them. */
export const NOTES_SPACE = `${' '.repeat(511)}\n`;

/** The claim that keeps a container from running. */
const NO_CLAIM = 'nobody\n';
/** An init creates its claim and writes its identity in one go. */
const CLAIM_MS_MAX = 5000;

/** Undefined: no process runs it yet, or the claim is being written. */
export function parseClaim(text: string, claimedAtMs: number): Claim | undefined {
  const [pid = '', start = '', bootId = '', session = ''] = text.trimEnd().split(' ');
  if (!text.endsWith('\n') || !/^\d+$/.test(pid) || !/^\d+$/.test(session)) return undefined;
  return { init: identityOf(pid, start), session: Number(session), bootId, claimedAtMs };
}

/** A line without its end is still being written. */
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

/** A dash stands for a value that this system does not report. */
function identityOf(pid: string, start: string): ProcessIdentity {
  return { pid: Number(pid), start: start === '-' ? '' : start };
}

export function readNotes(folder: string): Notes {
  return parseNotes(readText(path.join(folder, 'state')));
}

/** When init wrote its last note. */
export function notesTimeMs(folder: string): number | undefined {
  return statSync(path.join(folder, 'state'), { throwIfNoEntry: false })?.mtimeMs;
}

/** The output of the programs that ran before the command. */
export function readTrouble(folder: string): string {
  const first = readText(path.join(folder, 'trouble')).trim().split('\n').slice(0, 3);
  // Programs inside write to the command's stderr.
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
 * Creating this file is exclusive: an init that comes later starts nothing. False: the container has been
 * started after all, or its init has come and is about to write its identity.
 */
export function claimForRemoval(folder: string, nowMs: number): boolean {
  const file = path.join(folder, 'claim');
  try {
    writeFileSync(file, NO_CLAIM, { flag: 'wx' });
    return true;
  } catch {
    const claimedAtMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
    if (claimedAtMs === undefined || readText(file) === NO_CLAIM) return true;
    // An init that has not written its identity by now was cut off, perhaps with the machine.
    return readClaim(folder) === undefined && nowMs - claimedAtMs > CLAIM_MS_MAX;
  }
}

/** Whether its init may have been started: then it can come at any time, whichever podkeep started it. */
export function isPrepared(folder: string): boolean {
  return existsSync(path.join(folder, 'state'));
}

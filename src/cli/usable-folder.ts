/**
 * Creates a folder and checks that podkeep can write to it; otherwise returns the reason and a hint.
 *
 * Missing folders are created one by one: the recursive `mkdir` of Node.js never returns below /proc, and on
 * a read-only file system it reports that a folder does not exist. A probe file is written and removed,
 * because a full disk or a quota shows only at a write.
 */
import { lstatSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Why the folder cannot be used. */
export interface FolderFault {
  readonly reason: string;
  readonly hint: string;
  readonly cause: unknown;
}

const OWNER_ONLY = 0o700;
/** The name includes the PID, because another podkeep may try the same folder at the same time. */
const PROBE_NAME = `.podkeep-probe-${process.pid}`;
/** About the size of a cluster without objects. */
const PROBE_BYTES = 2 ** 20;

const ELSEWHERE = 'Choose another folder with --data-dir';

/** Null: the folder exists and is writable. */
export function makeUsableFolder(folder: string): FolderFault | null {
  for (const each of missingFolders(folder)) {
    try {
      mkdirSync(each, { mode: OWNER_ONLY });
    } catch (error) {
      // Another podkeep may have created it at the same time.
      if (errnoOf(error) !== 'EEXIST' || !isFolder(each)) return faultOf(error, each);
    }
  }
  return probe(folder);
}

/** Missing folders, outermost first. */
function missingFolders(folder: string): readonly string[] {
  const missing: string[] = [];
  for (let at = folder; !isThere(at) && at !== path.dirname(at); at = path.dirname(at)) {
    missing.unshift(at);
  }
  return missing;
}

function probe(folder: string): FolderFault | null {
  const file = path.join(folder, PROBE_NAME);
  try {
    rmSync(file, { force: true });
    writeFileSync(file, Buffer.alloc(PROBE_BYTES), { flag: 'wx', mode: 0o600 });
    rmSync(file);
    return null;
  } catch (error) {
    removeQuietly(file);
    return faultOf(error, folder);
  }
}

function faultOf(error: unknown, at: string): FolderFault {
  const parent = path.dirname(at);
  switch (errnoOf(error)) {
    case 'EROFS':
      return fault(error, `the file system of ${at} is read-only (EROFS)`, 'or mount it writable');
    case 'EACCES':
    case 'EPERM':
      return fault(
        error,
        `this user may not write in ${isFolder(at) ? at : parent} (${errnoOf(error)})`,
        'or change the owner or the mode of that one',
      );
    case 'ENOTDIR':
    case 'EEXIST':
      return fault(error, `${fileOnTheWay(at)} is a file and not a folder (ENOTDIR)`, '');
    case 'ENOSPC':
    case 'EDQUOT':
      return fault(
        error,
        `there is no space left on the disk of ${at} (${errnoOf(error)})`,
        'or free some: podkeep needs at least a megabyte to start',
      );
    case 'ENOENT':
      return fault(error, `no folder can be made in ${parent} (ENOENT)`, 'such as ./cluster');
    default:
      return fault(error, error instanceof Error ? error.message : String(error), '');
  }
}

function fault(cause: unknown, reason: string, alternative: string): FolderFault {
  return { cause, reason, hint: `${ELSEWHERE}${alternative && `, ${alternative}`}.` };
}

/** The outermost part of the path that is not a folder. */
function fileOnTheWay(at: string): string {
  let found = at;
  for (let each = at; each !== path.dirname(each); each = path.dirname(each)) {
    if (isThere(each) && !isFolder(each)) found = each;
  }
  return found;
}

/** A dangling link and an unreadable entry count as existing, too: the write shows the error. */
function isThere(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    return errnoOf(error) !== 'ENOTDIR';
  }
}

function isFolder(file: string): boolean {
  try {
    return statSync(file).isDirectory();
  } catch {
    return false;
  }
}

function removeQuietly(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // The reported error says the same.
  }
}

function errnoOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

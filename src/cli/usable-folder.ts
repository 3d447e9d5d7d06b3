/**
 * Creates a folder that podkeep can write to, or reports what is in the way, in a sentence and with a
 * hint.
 *
 * Folders are created one by one from the first that is missing: Node's recursive `mkdir` never returns
 * below /proc, and on a read-only file system it says that a folder does not exist. A probe file is
 * written and removed, because a full disk or a quota shows only when something is written.
 */
import { lstatSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** What is in the way. */
export interface FolderFault {
  readonly reason: string;
  readonly hint: string;
  readonly cause: unknown;
}

const OWNER_ONLY = 0o700;
/** Of this process alone: another podkeep may try the same folder now. */
const PROBE_NAME = `.podkeep-probe-${process.pid}`;
/** About what a cluster without objects takes. */
const PROBE_BYTES = 2 ** 20;

const ELSEWHERE = 'Choose another folder with --data-dir';

/** Null: the folder exists and is writable. */
export function makeUsableFolder(folder: string): FolderFault | null {
  for (const each of missingFolders(folder)) {
    try {
      mkdirSync(each, { mode: OWNER_ONLY });
    } catch (error) {
      // Another podkeep that starts now may just have created it.
      if (errnoOf(error) !== 'EEXIST' || !isFolder(each)) return faultOf(error, each);
    }
  }
  return probe(folder);
}

/** The outermost first. */
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

/** The outermost part of the path that should be a folder and is none. */
function fileOnTheWay(at: string): string {
  let found = at;
  for (let each = at; each !== path.dirname(each); each = path.dirname(each)) {
    if (isThere(each) && !isFolder(each)) found = each;
  }
  return found;
}

/** A dangling link exists too, and so does what this user may not read: writing shows which it is. */
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
    // It says the same as the error that is reported.
  }
}

function errnoOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

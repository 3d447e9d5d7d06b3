/**
 * Checks that files, folders and sockets are safe to use: keys, credentials, data, the socket of a runtime.
 *
 * A user who may write to such a file, or replace it, could make podkeep act on that user's behalf. So
 * podkeep refuses a file that belongs to another user (root is trusted), that other users may write, or that
 * is in a folder where other users may rename it.
 *
 * 1. For a link, its target is checked.
 * 2. The checked file is the file that is read: it is opened first, and fstat shows its owner.
 * 3. A folder that all users may write is safe if only owners may rename files in it (sticky), as in /tmp.
 * 4. The group of a file may write if it is the private group of podkeep's user: the group whose ID equals
 *    the user's ID.
 */
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  realpathSync,
  statSync,
  type Stats,
} from 'node:fs';
import path from 'node:path';
import { defineError, PodkeepError } from './errors.ts';

export const untrustedFile = defineError<{ file: string; reason: string; remedy: string }>({
  code: 'UNTRUSTED_FILE',
  retry: 'never',
  message: ({ file, reason }) => `${file} is not safe to use: ${reason}`,
  hint: ({ remedy }) => `${remedy} Look first at what is in it: another user may have changed it.`,
});

const GROUP_WRITES = 0o020;
const OTHERS_WRITE = 0o002;
const STICKY = 0o1000;
const ROOT = 0;

type Owned = Pick<Stats, 'uid' | 'gid' | 'mode'>;

/** False: the error is the system's, for a file that is missing or cannot be read. */
export function isUntrusted(error: unknown): boolean {
  return error instanceof PodkeepError && error.code === 'UNTRUSTED_FILE';
}

/** The text of a file. Throws UNTRUSTED_FILE, or the system's error. */
export function readTrustedFile(file: string): string {
  const descriptor = openSync(file, constants.O_RDONLY);
  try {
    checkOwned(file, fstatSync(descriptor));
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

/** Checks a data folder of podkeep; here root is not trusted, either. Throws UNTRUSTED_FILE. */
export function checkOwnFolder(folder: string, uid = process.geteuid?.() ?? ROOT): void {
  const descriptor = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    const found = fstatSync(descriptor);
    if (found.uid !== uid) throw foreign(folder, found.uid, uid);
    checkWriters(folder, found, uid);
  } finally {
    closeSync(descriptor);
  }
  checkTrustedPath(folder);
}

/**
 * Checks a program that podkeep runs: only this user and root may change or replace it. Throws
 * UNTRUSTED_FILE.
 */
export function checkTrustedProgram(file: string): void {
  checkOwned(file, statSync(file));
  checkTrustedPath(file);
}

/** Checks a socket that podkeep connects to. Throws UNTRUSTED_FILE, or the system's error. */
export function checkTrustedSocket(file: string): void {
  const { uid } = statSync(file);
  const own = process.geteuid?.() ?? ROOT;
  // The mode is not checked: a user who may write to a socket may only connect to it, which does not endanger
  // podkeep.
  if (uid !== own && uid !== ROOT) throw foreign(file, uid, own);
  checkTrustedPath(file);
}

/** Checks an open file: it belongs to this user or to root, and no other user may write to it. */
export function checkOwned(file: string, found: Owned, uid = process.geteuid?.() ?? ROOT): void {
  if (found.uid !== uid && found.uid !== ROOT) throw foreign(file, found.uid, uid);
  checkWriters(file, found, uid);
}

function checkWriters(file: string, { gid, mode }: Owned, uid: number): void {
  const isPrivateGroup = gid === uid && gid !== ROOT;
  const isOpenToGroup = (mode & GROUP_WRITES) !== 0 && !isPrivateGroup;
  if (!isOpenToGroup && (mode & OTHERS_WRITE) === 0) return;
  const who = (mode & OTHERS_WRITE) === 0 ? `group ${gid}` : 'every user';
  const reason = `${who} may write to it (mode ${(mode & 0o7777).toString(8)})`;
  throw untrustedFile({ file, reason, remedy: `Run chmod go-w ${file}.` });
}

/**
 * Refuses files in a folder that all users may write and that is not sticky: every user could replace them.
 * Throws UNTRUSTED_FILE.
 */
export function checkTrustedPath(file: string): void {
  const real = realpathSync(file);
  for (let folder = path.dirname(real); ; folder = path.dirname(folder)) {
    const { mode } = statSync(folder);
    if ((mode & OTHERS_WRITE) !== 0 && (mode & STICKY) === 0) {
      const reason = `every user may rename it, because every user may write to ${folder}`;
      throw untrustedFile({ file, reason, remedy: `Run chmod o-w ${folder}.` });
    }
    if (folder === path.dirname(folder)) return;
  }
}

function foreign(file: string, owner: number, uid: number): Error {
  const reason = `it belongs to user ${owner}, and podkeep runs as user ${uid}`;
  return untrustedFile({
    file,
    reason,
    remedy: `Choose another path, or run chown ${uid} ${file}.`,
  });
}

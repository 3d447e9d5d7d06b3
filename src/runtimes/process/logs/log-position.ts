/**
 * Records how much of a container's output has been copied into its log, so that a kill of podkeep at any
 * moment neither loses a line nor writes one twice.
 *
 * Before each append podkeep records the current length of the log, and all positions as they will be after
 * the append. After a kill, the next podkeep compares the length of the log: if the log is long enough, the
 * append has happened; otherwise a partial append is cut off and repeated. The record is one small write in
 * place, which a kill cannot interrupt halfway.
 */
import type { FileHandle } from 'node:fs/promises';
import { open, readdir, stat, truncate } from 'node:fs/promises';
import path from 'node:path';
import { isMissing } from '../json-file.ts';

/** How many bytes of each raw file are in the log, and how long the log is. */
export interface Marks {
  readonly stdout: number;
  readonly stderr: number;
  readonly log: number;
}

interface Entry {
  /** Identifies the log file, which may have been renamed since. */
  readonly inode: number;
  readonly before: Marks;
  readonly after: Marks;
}

const START: Marks = { stdout: 0, stderr: 0, log: 0 };
const RECORD_BYTES = 160;
const OWNER_ONLY = 0o600;

export class LogPosition {
  readonly #file: FileHandle;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /** Reads the positions, and repairs an append that a kill interrupted. */
  static async open(file: string, logFolder: string): Promise<readonly [LogPosition, Marks]> {
    const handle = await openFile(file);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(RECORD_BYTES), 0, RECORD_BYTES, 0);
    const entry = parse(buffer.subarray(0, bytesRead).toString('latin1'));
    return [new LogPosition(handle), entry ? await settle(entry, logFolder) : START];
  }

  async intend(inode: number, before: Marks, after: Marks): Promise<void> {
    const numbers = [inode, ...[before, after].flatMap((m) => [m.stdout, m.stderr, m.log])];
    const record = `${numbers.join(' ')} .`.padEnd(RECORD_BYTES);
    await this.#file.write(Buffer.from(record, 'latin1'), 0, RECORD_BYTES, 0);
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

async function openFile(file: string): Promise<FileHandle> {
  try {
    return await open(file, 'r+', OWNER_ONLY);
  } catch (error) {
    if (!isMissing(error)) throw error;
    return open(file, 'w+', OWNER_ONLY);
  }
}

function parse(record: string): Entry | undefined {
  const words = record.trim().split(' ');
  if (words.length !== 8 || words[7] !== '.') return undefined;
  const [inode = 0, a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = words.map(Number);
  return {
    inode,
    before: { stdout: a, stderr: b, log: c },
    after: { stdout: d, stderr: e, log: f },
  };
}

async function settle(entry: Entry, logFolder: string): Promise<Marks> {
  const file = await findByInode(entry.inode, logFolder);
  // The append is complete, or the log was removed with it.
  if (file === undefined || file.size >= entry.after.log) return entry.after;
  await truncate(file.name, Math.min(entry.before.log, file.size));
  return entry.before;
}

async function findByInode(
  inode: number,
  folder: string,
): Promise<{ readonly name: string; readonly size: number } | undefined> {
  for (const entry of await listFolder(folder)) {
    const name = path.join(folder, entry);
    const found = await stat(name).catch(() => undefined);
    if (found?.ino === inode && found.isFile()) return { name, size: found.size };
  }
  return undefined;
}

async function listFolder(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/**
 * Creates the store's file: an empty one, or a copy that is encrypted with the current configuration.
 *
 * A file has a temporary name until it is complete, so an incomplete file with the final name is damaged.
 *
 * LMDB does not overwrite what a transaction replaces or removes: old pages stay in the file as free pages
 * until a later transaction reuses them. So a Secret that was once written as plaintext stays readable in the
 * file long after it was encrypted or deleted. Only a new file is free of it. The old file is overwritten
 * with zeros before its blocks are freed; copies below the file system (in a flash disk or a snapshot) cannot
 * be reached.
 */
import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { DecryptError } from '../../at-rest/value-cipher.ts';
import type { Encryption } from '../../at-rest/encryption.ts';
import { storeUnreadable } from '../store-errors.ts';
import { openEnvironment, type Environment, type Put } from './environment.ts';
import { readRecords, readWholeFile, loadFailureOf } from './load.ts';
import {
  decodeVersion,
  encodeHead,
  encodeRaw,
  encodeVersionKey,
  FORMAT,
  HEAD_KEY,
  PLAIN_FORMAT,
  type Head,
  type RawVersion,
} from './record.ts';
import { Unreadable, Version } from '../version.ts';

const OWNER_ONLY_FILE = 0o600;
const BATCH_BYTES = 2 ** 20;
const ZEROS = Buffer.alloc(2 ** 20);

/** Throws STORE_UNREADABLE. */
export async function createFile(file: string): Promise<void> {
  const head: Head = { format: PLAIN_FORMAT, revision: 0, floor: 0 };
  try {
    await writeFile(file, head, []);
    moveInPlace(file);
  } catch (error) {
    throw storeUnreadable({ file, reason: loadFailureOf(error) }, error);
  }
}

/** Removes the incomplete file of a process that was killed. */
export function removeDraft(file: string): void {
  for (const each of [draftOf(file), `${draftOf(file)}-lock`]) rmSync(each, { force: true });
}

export interface Resealed {
  /** The names of objects that no key decrypts: they were copied unchanged. */
  readonly unreadable: ReadonlySet<string>;
}

/**
 * Rewrites the file. The old file stays intact until the new one is complete; then `replace` is called, when
 * nothing may have the old file open any more.
 */
export async function resealFile(
  file: string,
  encryption: Encryption,
  replace: () => Promise<void> = () => Promise.resolve(),
): Promise<Resealed> {
  const bytes = readWholeFile(file);
  const unreadable = new Set<string>();
  const records: Put[] = [];
  const reseal = (raw: RawVersion): Version => {
    const key = encodeVersionKey(raw.revision, raw.index);
    const value = resealValue(raw, encryption);
    if (value) unreadable.delete(raw.name);
    else unreadable.add(raw.name);
    records.push([key, encodeRaw(key, JSON.stringify(raw.name), value ?? raw.value)]);
    return new Version(raw.name, raw.revision, raw.index, new Unreadable(''));
  };
  const { revision, floor } = readRecords(file, bytes, (place) => {
    const version = decodeVersion(bytes, place, { readsAll: true, read: reseal });
    if (!version?.isDeletion) return;
    unreadable.delete(version.key);
    const key = encodeVersionKey(version.revision, version.index);
    records.push([key, encodeRaw(key, JSON.stringify(version.key), Buffer.alloc(0))]);
  });
  const sealing = encryption.fingerprint;
  await writeFile(file, { format: FORMAT, revision, floor, sealing }, records);
  await replace();
  const old = await open(file, 'r+');
  try {
    moveInPlace(file);
    await overwrite(old);
  } finally {
    await old.close();
  }
  return { unreadable };
}

/** Undefined: no key decrypts the value. */
function resealValue({ name, value }: RawVersion, encryption: Encryption): Buffer | undefined {
  try {
    const text = encryption.open(name, value);
    return encryption.isStale(name, value) ? encryption.seal(name, text) : value;
  } catch (error) {
    if (error instanceof DecryptError) return undefined;
    throw error;
  }
}

async function writeFile(file: string, head: Head, records: readonly Put[]): Promise<void> {
  const draft = draftOf(file);
  removeDraft(file);
  closeSync(openSync(draft, 'w', OWNER_ONLY_FILE));
  const environment = openEnvironment(draft);
  try {
    for (const batch of batches(records)) await write(environment, batch);
    await write(environment, [[HEAD_KEY, encodeHead(head)]]);
  } finally {
    await environment.close();
  }
}

async function write(environment: Environment, puts: readonly Put[]): Promise<void> {
  await environment.reserve(puts, []);
  await environment.write(puts, []);
}

function* batches(records: readonly Put[]): Generator<readonly Put[]> {
  let batch: Put[] = [];
  let bytes = 0;
  for (const record of records) {
    batch.push(record);
    bytes += record[1].length;
    if (bytes < BATCH_BYTES) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

function moveInPlace(file: string): void {
  renameSync(draftOf(file), file);
  removeDraft(file);
  syncFolder(path.dirname(file));
}

async function overwrite(old: FileHandle): Promise<void> {
  const { size } = await old.stat();
  for (let at = 0; at < size; at += ZEROS.length) {
    await old.write(ZEROS, 0, Math.min(ZEROS.length, size - at), at);
  }
  await old.sync();
}

function draftOf(file: string): string {
  return `${file}.new`;
}

/** Without this, a power failure could undo the rename. */
function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

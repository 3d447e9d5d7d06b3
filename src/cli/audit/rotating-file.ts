/**
 * A log file that is rotated at a maximum size, in kube-apiserver's format:
 *
 *     audit.log                             the current file
 *     audit-2026-11-18T02-10-57.123.log     a rotated file; with the suffix .gz if it is compressed
 *
 * Rotated files are removed when they are too old or too many. Only the owner can read the files: depending
 * on the audit policy, they may hold Secrets.
 */
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { formatMicroTime } from '../../api/values/time.ts';
import { defineError } from '../../lib/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';

export interface RotatingFileOptions {
  readonly file: string;
  /** 0: the file is never rotated. */
  readonly sizeMax: number;
  /** 0: files are not removed because of their age. */
  readonly ageMsMax: number;
  /** 0: files are not removed because of their number. */
  readonly backupsMax: number;
  readonly compress: boolean;
  readonly clock: Clock;
  readonly log: Log;
}

const OWNER_ONLY = 0o700;
const OWNER_ONLY_FILE = 0o600;
/** The length of a time stamp with milliseconds. */
const STAMP_CHARS = 23;
const STAMP = /-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3})$/;

const auditLogUnusable = defineError<{ file: string; reason: string }>({
  code: 'AUDIT_LOG_UNUSABLE',
  retry: 'never',
  message: ({ file, reason }) => `audit events cannot be written to ${file}: ${reason}`,
  hint: () => 'Give --audit-log-path a file that this user may write, or - for stdout.',
});

export class RotatingFile {
  readonly #options: RotatingFileOptions;
  #handle: FileHandle | null = null;
  #bytes = 0;
  #tidying: Promise<void> = Promise.resolve();

  constructor(options: RotatingFileOptions) {
    this.#options = options;
  }

  /** Rejects if the lines could not be written. Callers make one call at a time. */
  async append(lines: readonly string[]): Promise<void> {
    const { sizeMax } = this.#options;
    let pending = '';
    for (const line of lines) {
      const text = `${line}\n`;
      const bytes = Buffer.byteLength(pending) + Buffer.byteLength(text);
      const handle = await this.#open();
      const isFull =
        sizeMax > 0 && this.#bytes + bytes > sizeMax && this.#bytes + pending.length > 0;
      if (isFull) {
        await this.#put(handle, pending);
        pending = '';
        await this.#setAside();
      }
      pending += text;
    }
    if (pending !== '') await this.#put(await this.#open(), pending);
  }

  /** Throws AUDIT_LOG_UNUSABLE if the file cannot be opened for appending. */
  async check(): Promise<void> {
    try {
      await this.#open();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw auditLogUnusable({ file: this.#options.file, reason }, error);
    }
  }

  async close(): Promise<void> {
    await this.#tidying;
    const handle = this.#handle;
    this.#handle = null;
    await handle?.close();
  }

  async #put(handle: FileHandle, text: string): Promise<void> {
    if (text === '') return;
    try {
      await handle.appendFile(text);
      this.#bytes += Buffer.byteLength(text);
    } catch (error) {
      // The next call opens the file again: the disk may be back, or the file may have been replaced.
      this.#handle = null;
      await handle.close().catch(() => {});
      throw error;
    }
  }

  async #open(): Promise<FileHandle> {
    if (this.#handle) return this.#handle;
    const { file } = this.#options;
    await mkdir(path.dirname(file), { recursive: true, mode: OWNER_ONLY });
    const handle = await open(file, 'a', OWNER_ONLY_FILE);
    this.#bytes = (await handle.stat()).size;
    this.#handle = handle;
    return handle;
  }

  async #setAside(): Promise<void> {
    const { file, clock, log } = this.#options;
    const handle = this.#handle;
    this.#handle = null;
    await handle?.close();
    await rename(file, this.#freeName(clock.now()));
    this.#tidying = this.#tidying
      .then(() => this.#tidy())
      .catch((error: unknown) =>
        log.warn('Failed to remove or compress old audit logs', { error }),
      );
  }

  /**
   * Avoids the name of a file that was rotated in the same millisecond: replacing it would lose its events.
   */
  #freeName(nowMs: number): string {
    const { dir, name, ext } = path.parse(this.#options.file);
    const stamp = formatMicroTime(nowMs).slice(0, STAMP_CHARS).replaceAll(':', '-');
    const whole = path.join(dir, `${name}-${stamp}${ext}`);
    const isTaken = [whole, `${whole}.gz`].some((one) => existsSync(one));
    return isTaken ? this.#freeName(nowMs + 1) : whole;
  }

  /** Removes files that are too old or too many, and compresses the rest. */
  async #tidy(): Promise<void> {
    const { file, ageMsMax, backupsMax, compress, clock } = this.#options;
    const { dir } = path.parse(file);
    const oldestMs = clock.now() - ageMsMax;
    const backups = (await readdir(dir === '' ? '.' : dir))
      .flatMap((name) => this.#backupOf(name))
      .sort((a, b) => b.atMs - a.atMs);
    for (const [index, { name, atMs }] of backups.entries()) {
      const isExtra = backupsMax > 0 && index >= backupsMax;
      const isOld = ageMsMax > 0 && atMs < oldestMs;
      const whole = path.join(dir, name);
      if (isExtra || isOld) await rm(whole, { force: true });
      else if (compress && !name.endsWith('.gz')) await compressFile(whole);
    }
  }

  #backupOf(name: string): readonly { readonly name: string; readonly atMs: number }[] {
    const { name: base, ext } = path.parse(this.#options.file);
    const plain = name.endsWith('.gz') ? name.slice(0, -3) : name;
    if (!plain.startsWith(`${base}-`) || !plain.endsWith(ext)) return [];
    const [, day, hours, minutes, seconds] =
      STAMP.exec(plain.slice(0, plain.length - ext.length)) ?? [];
    const atMs = Date.parse(`${day ?? ''}T${hours ?? ''}:${minutes ?? ''}:${seconds ?? ''}Z`);
    return Number.isNaN(atMs) ? [] : [{ name, atMs }];
  }
}

/** Writes under a temporary name until the file is complete. */
async function compressFile(file: string): Promise<void> {
  const draft = `${file}.gz.new`;
  await rm(draft, { force: true });
  const output = createWriteStream(draft, { mode: OWNER_ONLY_FILE, flags: 'wx' });
  await pipeline(createReadStream(file), createGzip(), output);
  await rename(draft, `${file}.gz`);
  await rm(file);
}

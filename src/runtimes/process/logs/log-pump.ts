/**
 * Copies the output of a container without a monitor from plain files into its log.
 *
 *     container ──writes──> stdout, stderr (plain files) ──pump──> 0.log (CRI format)
 *
 * The container writes into files, not into a pipe of podkeep, so it keeps running when podkeep is killed,
 * and the next podkeep finds its output. The time of a line is the last modification of its file: exact while
 * podkeep runs, and never too early for lines written before podkeep started.
 *
 * The stream with the older modification time is read first. The exact order of lines of two streams is lost,
 * as in any log that reads two streams.
 *
 * From time to time copied bytes are punched out of the plain files, so that they take no disk space.
 *
 * For containers that never write, only an empty log is created; no file stays open.
 */
import { closeSync, constants, mkdirSync, openSync, statSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { cutLines, formatLogTime, type StreamName } from './cri-lines.ts';
import { LogPosition, type Marks } from './log-position.ts';

export interface LogPumpOptions {
  /** The folder of the container, with the files `stdout` and `stderr`. */
  readonly folder: string;
  readonly logFile: string;
  /** Frees the first bytes of a file on disk. */
  readonly punch: (file: string, bytes: number) => void;
  /** Called when the log cannot be written. The lines stay in the plain files for the next attempt. */
  readonly onTrouble: (error: unknown) => void;
}

export type OutputListener = (stream: StreamName, bytes: Uint8Array) => void;

const CHUNK_BYTES = 64 * 1024;
const PUNCH_BYTES = 4 * 1024 * 1024;
const STREAMS: readonly StreamName[] = ['stdout', 'stderr'];
/** O_NOFOLLOW: a user who can write into the log folder could redirect podkeep by a link. */
const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;
const READ = constants.O_RDONLY | constants.O_CREAT | constants.O_NOFOLLOW;
const LOG_MODE = 0o640;
const OWNER_ONLY = 0o600;

interface OpenLog {
  readonly file: FileHandle;
  readonly inode: number;
}

interface OpenFiles {
  readonly raw: Readonly<Record<StreamName, FileHandle>>;
  readonly position: LogPosition;
  log: OpenLog;
}

export class LogPump {
  readonly #options: LogPumpOptions;
  readonly #listeners = new Set<OutputListener>();
  readonly #waiting = new Set<StreamName>();
  #files: OpenFiles | undefined;
  #marks: Marks = { stdout: 0, stderr: 0, log: 0 };
  /**
   * How many bytes listeners have received. An unfinished line is sent to listeners before it is in the log.
   */
  #heard: Record<StreamName, number> = { stdout: 0, stderr: 0 };
  #punched: Record<StreamName, number> = { stdout: 0, stderr: 0 };
  #lastMs = 0;
  #work: Promise<void> = Promise.resolve();
  #hasTrouble = false;
  #isClosed = false;

  private constructor(options: LogPumpOptions) {
    this.#options = options;
  }

  /** Creates the log, which must exist even if nothing is ever written. */
  static open(options: LogPumpOptions): LogPump {
    touchLog(options.logFile);
    return new LogPump(options);
  }

  /** Call when the stream's file was written. */
  wake(stream: StreamName): void {
    this.#waiting.add(stream);
    void this.#enqueue(() => this.#pumpWaiting(false));
  }

  wakeAll(): void {
    for (const stream of STREAMS) this.wake(stream);
  }

  /** Returns when all whole lines have been copied. */
  catchUp(): Promise<void> {
    return this.#pumpAll(false);
  }

  /**
   * As `catchUp`, after the last writer is gone: copies an unfinished line, too. Returns whether everything
   * was copied.
   */
  async drain(): Promise<boolean> {
    await this.#pumpAll(true);
    return !this.#hasTrouble;
  }

  #pumpAll(isLast: boolean): Promise<void> {
    return this.#enqueue(async () => {
      if (this.#isQuiet()) return;
      for (const stream of await this.#oldestFirst()) this.#waiting.add(stream);
      await this.#pumpWaiting(isLast);
    });
  }

  /** Starts a new log file, after a rotation. */
  async reopen(): Promise<void> {
    await this.#enqueue(async () => {
      if (!this.#files) return touchLog(this.#options.logFile);
      const [log, size] = await openLog(this.#options.logFile);
      const old = this.#files.log;
      this.#files.log = log;
      this.#marks = { ...this.#marks, log: size };
      await old.file.close();
    }, true);
  }

  /** Sends all further output to the listener, unformatted. */
  listen(listener: OutputListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#work;
    if (this.#files) await closeAll(this.#files);
  }

  /** Whether the container has written nothing so far. */
  #isQuiet(): boolean {
    const { folder } = this.#options;
    const isEmpty = (stream: StreamName): boolean =>
      (statSync(path.join(folder, stream), { throwIfNoEntry: false })?.size ?? 0) === 0;
    return !this.#files && STREAMS.every(isEmpty);
  }

  async #open(): Promise<OpenFiles> {
    if (this.#files) return this.#files;
    const [files, marks] = await openFiles(this.#options);
    this.#marks = marks;
    this.#heard = { stdout: marks.stdout, stderr: marks.stderr };
    this.#files = files;
    return files;
  }

  /** Runs steps one after the other. An error is reported, and rejects only the promise of its own step. */
  #enqueue(step: () => Promise<void>, reportsTrouble = false): Promise<void> {
    const done = this.#work.then(() => (this.#isClosed ? undefined : step()));
    const settled = done.then(
      () => (this.#hasTrouble = false),
      (error: unknown) => {
        this.#hasTrouble = true;
        this.#options.onTrouble(error);
      },
    );
    this.#work = settled.then(() => undefined);
    return reportsTrouble ? done : this.#work;
  }

  async #pumpWaiting(isLast: boolean): Promise<void> {
    for (const stream of this.#waiting) {
      this.#waiting.delete(stream);
      while (await this.#pumpChunk(stream, isLast));
    }
  }

  /** Returns whether there may be more to read. */
  async #pumpChunk(stream: StreamName, isLast: boolean): Promise<boolean> {
    const { raw } = await this.#open();
    const from = this.#marks[stream];
    const { mtimeMs, size } = await raw[stream].stat();
    if (size <= from) return false;
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size - from));
    const { bytesRead } = await raw[stream].read(buffer, 0, buffer.length, from);
    const chunk = buffer.subarray(0, bytesRead);
    this.#notify(stream, chunk, from);
    this.#lastMs = Math.max(this.#lastMs, Math.floor(mtimeMs));
    const isEnd = isLast && from + bytesRead >= size;
    const { log, consumed } = cutLines(chunk, stream, formatLogTime(this.#lastMs), isEnd);
    if (consumed === 0) return false;
    await this.#append(log, { ...this.#marks, [stream]: from + consumed });
    this.#punch(stream);
    return true;
  }

  #notify(stream: StreamName, chunk: Uint8Array, from: number): void {
    const fresh = chunk.subarray(Math.max(this.#heard[stream] - from, 0));
    this.#heard[stream] = Math.max(this.#heard[stream], from + chunk.length);
    if (fresh.length > 0) for (const listener of this.#listeners) listener(stream, fresh);
  }

  async #append(bytes: Uint8Array, marks: Marks): Promise<void> {
    const { log, position } = await this.#open();
    const { file, inode } = log;
    const after = { ...marks, log: this.#marks.log + bytes.length };
    await position.intend(inode, this.#marks, after);
    try {
      await file.appendFile(bytes);
    } catch (error) {
      // A full disk may have taken a part of the chunk; the next attempt starts where this one started.
      await position.intend(inode, this.#marks, this.#marks);
      await file.truncate(this.#marks.log);
      throw error;
    }
    this.#marks = after;
  }

  #punch(stream: StreamName): void {
    const done = this.#marks[stream];
    if (done - this.#punched[stream] < PUNCH_BYTES) return;
    this.#punched[stream] = done;
    this.#options.punch(path.join(this.#options.folder, stream), done);
  }

  async #oldestFirst(): Promise<readonly StreamName[]> {
    const { raw } = await this.#open();
    const times = await Promise.all(
      STREAMS.map(async (stream) => ({ stream, ms: (await raw[stream].stat()).mtimeMs })),
    );
    return times.toSorted((a, b) => a.ms - b.ms).map(({ stream }) => stream);
  }
}

/** Opens all files or none, and reads the positions. */
async function openFiles({
  folder,
  logFile,
}: LogPumpOptions): Promise<readonly [OpenFiles, Marks]> {
  const opened: { close(): Promise<void> }[] = [];
  const keep = <File extends { close(): Promise<void> }>(file: File): File => {
    opened.push(file);
    return file;
  };
  const openRaw = async (stream: StreamName): Promise<FileHandle> =>
    keep(await open(path.join(folder, stream), READ, OWNER_ONLY));
  try {
    const raw = { stdout: await openRaw('stdout'), stderr: await openRaw('stderr') };
    const positionFile = path.join(folder, 'position');
    const [position, marks] = await LogPosition.open(positionFile, path.dirname(logFile));
    keep(position);
    const [log, size] = await openLog(logFile);
    return [
      { raw, position, log },
      { ...marks, log: size },
    ];
  } catch (error) {
    await Promise.all(opened.map((file) => file.close()));
    throw error;
  }
}

async function closeAll({ raw, position, log }: OpenFiles): Promise<void> {
  const files = [raw.stdout, raw.stderr, log.file, position];
  await Promise.all(files.map((file) => file.close()));
}

async function openLog(name: string): Promise<readonly [OpenLog, number]> {
  mkdirSync(path.dirname(name), { recursive: true });
  const file = await open(name, APPEND, LOG_MODE);
  const { ino, size } = await file.stat();
  return [{ file, inode: ino }, size];
}

function touchLog(name: string): void {
  mkdirSync(path.dirname(name), { recursive: true });
  closeSync(openSync(name, APPEND, LOG_MODE));
}

/**
 * Manages the files of pods on disk, in the layout of Kubernetes' kubelet (see ports/pod/pod-files.ts).
 *
 * UIDs and names of pods and containers become names of folders, so a name that could lead out of its folder
 * is refused. podkeep reads termination messages without following links: a container could replace its file
 * by a link to a file that only podkeep may read.
 *
 * The files for the start or the end of a container are few and small, and are handled synchronously (see
 * exact-file.ts). Only data that may be large, such as the logs of a pod, is removed asynchronously.
 */
import { closeSync, constants, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { defineError } from '../../../lib/errors.ts';
import type { ContainerRun, LogTailLimits, PodFiles } from '../../../ports/pod/pod-files.ts';
import type { PodReference } from '../../../api/pod-reference.ts';
import { writeExactFile } from './exact-file.ts';
import { makeFolders } from './folders.ts';
import { codeOf } from '../volume-errors.ts';
import { lastLogLines } from '../../logs/log-tail.ts';

export interface DiskPodFilesOptions {
  /** podkeep's data folder, such as /var/lib/podkeep. Absolute. */
  readonly rootFolder: string;
  /** The folder of logs, such as /var/log/pods. Absolute. */
  readonly logFolder: string;
}

export const folderNameInvalid = defineError<{ name: string }>({
  code: 'FOLDER_NAME_INVALID',
  retry: 'never',
  message: ({ name }) => `${JSON.stringify(name.slice(0, 80))} cannot be the name of a folder`,
  hint: () => 'Names of pods and containers have letters, digits, dots and dashes.',
});

const FOLDER_MODE = 0o750;
const LOG_FOLDER_MODE = 0o755;
/** Every user in the container may write the termination message. */
const EMPTY_TERMINATION_FILE = { content: '', mode: 0o666 };
const READ_CHUNK_BYTES = 65_536;

export class DiskPodFiles implements PodFiles {
  readonly #options: DiskPodFilesOptions;

  constructor(options: DiskPodFilesOptions) {
    this.#options = options;
  }

  async makePodFolders({ uid }: PodReference): Promise<void> {
    const folder = path.join(this.#options.rootFolder, 'pods', checked(uid));
    for (const name of ['volumes', 'plugins', 'containers']) {
      makeFolders(path.join(folder, name), FOLDER_MODE);
    }
  }

  logFolder({ namespace, name, uid }: PodReference): string {
    const folder = `${checked(namespace)}_${checked(name)}_${checked(uid)}`;
    return path.join(this.#options.logFolder, folder);
  }

  logPath({ container, attempt }: Omit<ContainerRun, 'pod'>): string {
    return path.join(checked(container), `${attempt}.log`);
  }

  async makeLogFolder(pod: PodReference, container: string): Promise<void> {
    const folder = path.join(this.logFolder(pod), checked(container));
    makeFolders(folder, LOG_FOLDER_MODE);
  }

  async lastRunLogged(pod: PodReference, container: string): Promise<number | null> {
    const names = namesIn(path.join(this.logFolder(pod), checked(container)));
    const runs = names.flatMap((name) => {
      const run = /^(\d+)\.log/.exec(name)?.[1];
      return run === undefined ? [] : [Number(run)];
    });
    return runs.length === 0 ? null : Math.max(...runs);
  }

  async makeTerminationFile(run: ContainerRun): Promise<string> {
    const file = this.#terminationFile(run);
    makeFolders(path.dirname(file), FOLDER_MODE);
    try {
      writeExactFile(file, 'wx', EMPTY_TERMINATION_FILE);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
      await rm(file, { force: true });
      writeExactFile(file, 'wx', EMPTY_TERMINATION_FILE);
    }
    return file;
  }

  async readTerminationFile(
    run: ContainerRun,
    bytesMax: number,
    file = this.#terminationFile(run),
  ): Promise<string | null> {
    const tail = readTail(file, bytesMax);
    return tail === null ? null : decodeTail(tail);
  }

  async readLogTail(run: ContainerRun, { linesMax, bytesMax }: LogTailLimits): Promise<string> {
    const file = path.join(this.logFolder(run.pod), this.logPath(run));
    const tail = readTail(file, Math.max(READ_CHUNK_BYTES, bytesMax * 4));
    return tail === null ? '' : lastLogLines(decodeTail(tail), linesMax, bytesMax);
  }

  async podsWithLogs(): Promise<readonly PodReference[]> {
    const names = namesIn(this.#options.logFolder);
    return names.flatMap((folder) => {
      const [namespace, name, uid, ...rest] = folder.split('_');
      if (!namespace || !name || !uid || rest.length > 0) return [];
      return [{ namespace, name, uid }];
    });
  }

  async removePodLogs(pod: PodReference): Promise<void> {
    await rm(this.logFolder(pod), { recursive: true, force: true });
  }

  /** Removes the log and its rotated files. */
  async removeLog(run: ContainerRun): Promise<void> {
    const folder = path.join(this.logFolder(run.pod), checked(run.container));
    const own = `${run.attempt}.log`;
    const names = namesIn(folder);
    for (const name of names.filter((each) => each === own || each.startsWith(`${own}.`))) {
      await rm(path.join(folder, name), { force: true });
    }
    await rm(this.#terminationFile(run), { force: true });
  }

  #terminationFile({ pod, container, attempt }: ContainerRun): string {
    const { rootFolder } = this.#options;
    const folder = path.join(rootFolder, 'pods', checked(pod.uid), 'containers');
    return path.join(folder, checked(container), String(attempt));
  }
}

function checked(name: string): string {
  const isPlain = name !== '' && name !== '.' && name !== '..' && !/[/\\\0]/.test(name);
  if (!isPlain) throw folderNameInvalid({ name });
  return name;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** Null: the file does not exist, or is not a regular file. */
function readTail(file: string, bytesMax: number): Uint8Array | null {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  try {
    const descriptor = openSync(file, flags);
    try {
      const { size } = fstatSync(descriptor);
      const buffer = new Uint8Array(Math.min(size, bytesMax));
      const position = size - buffer.length;
      const bytesRead = readSync(descriptor, buffer, { position });
      return buffer.subarray(0, bytesRead);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ENOENT' || code === 'ELOOP' || code === 'ENOTDIR' || code === 'EISDIR';
}

/** Omits a character at the front whose first bytes were cut off. */
function decodeTail(bytes: Uint8Array): string {
  let start = 0;
  while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return new TextDecoder().decode(bytes.subarray(start));
}

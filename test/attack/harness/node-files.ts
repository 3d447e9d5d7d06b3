/**
 * Where podkeep keeps the files of a pod, below its data folder. The suite knows podkeep's layout on disk
 * only here and in container-processes.ts.
 */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  type Stats,
} from 'node:fs';
import path from 'node:path';

const FILE_BYTES_MAX = 1024 * 1024;
const FILES_MAX = 300;

/** The folder of an emptyDir, as the machine sees it. */
export function emptyDirOf(data: string, podUid: string, volume: string): string {
  return path.join(data, 'node/pods', podUid, 'volumes/kubernetes.io~empty-dir', volume);
}

/** Everything that a pod wrote into its emptyDirs. Links are not followed. */
export function volumeTexts(data: string, podUid: string): string {
  const folder = path.join(data, 'node/pods', podUid, 'volumes/kubernetes.io~empty-dir');
  const texts: string[] = [];
  for (const { isFile, size, text } of walk(folder)) {
    if (texts.length >= FILES_MAX) break;
    if (!isFile || size > FILE_BYTES_MAX) continue;
    texts.push(text());
  }
  return texts.join('\n');
}

/** The plain files of a volume of any kind, as the machine sees them. Links are not followed. */
export function volumeFiles(
  data: string,
  podUid: string,
  volume: string,
): readonly { readonly file: string; readonly text: string }[] {
  const node = path.join(data, 'node');
  // Secrets and tokens of an ordinary user are in a memory-backed folder, whose path this file has.
  const memory = readQuietly(path.join(node, 'memory')).trim();
  const kinds = [path.join(node, 'pods', podUid, 'volumes')];
  if (memory !== '') kinds.push(path.join(memory, podUid));
  const files: { file: string; text: string }[] = [];
  for (const folder of kinds) {
    for (const { file, isFile, text } of walk(folder)) {
      if (isFile && file.split('/').includes(volume)) files.push({ file, text: text() });
    }
  }
  return files;
}

export interface FoundFile {
  readonly file: string;
  readonly isFile: boolean;
  readonly size: number;
  /** What it takes on disk. */
  readonly bytes: number;
  /** As latin1; empty if it is no file any more. */
  readonly text: () => string;
}

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;

/**
 * All that is below a folder; nothing if it does not exist. Folders and files are opened by name inside an
 * open folder and without following links: a pod may exchange them for links while the suite reads.
 */
export function* walk(folder: string, opened: string = folder): Generator<FoundFile> {
  const descriptor = openQuietly(opened, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (descriptor === undefined) return;
  try {
    const inside = `/proc/self/fd/${descriptor}`;
    for (const name of readdirSync(inside)) {
      const [file, entry] = [path.join(folder, name), path.join(inside, name)];
      const found = inspect(entry);
      if (found === undefined) continue;
      const text = (): string => readQuietly(entry);
      yield { file, isFile: found.isFile(), size: found.size, bytes: found.blocks * 512, text };
      if (found.isDirectory()) yield* walk(file, entry);
    }
  } catch {
    // The folder was removed meanwhile.
  } finally {
    closeSync(descriptor);
  }
}

function openQuietly(file: string, flags: number): number | undefined {
  try {
    return openSync(file, flags);
  } catch {
    return undefined;
  }
}

function inspect(file: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function readQuietly(file: string): string {
  const descriptor = openQuietly(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor === undefined) return '';
  try {
    return fstatSync(descriptor).isFile() ? readFileSync(descriptor, 'latin1') : '';
  } catch {
    return '';
  } finally {
    closeSync(descriptor);
  }
}

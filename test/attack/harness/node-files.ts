/**
 * Where podkeep keeps what belongs to a pod, below its data folder. All that the suite knows of podkeep's
 * layout on disk is here and in container-processes.ts.
 */
import { lstatSync, readdirSync, readFileSync, type Stats } from 'node:fs';
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
  for (const { file, isFile, size } of walk(folder)) {
    if (texts.length >= FILES_MAX) break;
    if (!isFile || size > FILE_BYTES_MAX) continue;
    texts.push(readQuietly(file));
  }
  return texts.join('\n');
}

export interface FoundFile {
  readonly file: string;
  readonly isFile: boolean;
  readonly size: number;
  /** What it takes on disk. */
  readonly bytes: number;
}

/** All that is below a folder; nothing if it is not there. Stays on the file systems it can read. */
export function* walk(folder: string): Generator<FoundFile> {
  let names: readonly string[];
  try {
    names = readdirSync(folder);
  } catch {
    return;
  }
  for (const name of names) {
    const file = path.join(folder, name);
    const found = lookAt(file);
    if (found === undefined) continue;
    yield { file, isFile: found.isFile(), size: found.size, bytes: found.blocks * 512 };
    if (found.isDirectory()) yield* walk(file);
  }
}

function lookAt(file: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function readQuietly(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}

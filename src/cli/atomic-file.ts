/**
 * Writes files atomically: after a crash or power loss a file has either its old or its new content. Only the
 * owner can read it.
 */
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';

const OWNER_ONLY = 0o700;
const OWNER_ONLY_FILE = 0o600;

export function writeFileAtomically(file: string, text: string): void {
  const draft = `${file}.new`;
  writeWhole(draft, text);
  renameSync(draft, file);
  syncFolder(path.dirname(file));
}

/**
 * Creates a folder with all of its files at once; the folder must not exist yet. It costs one wait for the
 * disk.
 */
export async function createFolderAtomically(
  folder: string,
  files: readonly (readonly [name: string, text: string])[],
): Promise<void> {
  const draft = `${folder}.new`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true, mode: OWNER_ONLY });
  await Promise.all(
    files.map(([name, text]) =>
      writeFile(path.join(draft, name), text, { flag: 'wx', mode: OWNER_ONLY_FILE, flush: true }),
    ),
  );
  syncFolder(draft);
  renameSync(draft, folder);
  syncFolder(path.dirname(folder));
}

function writeWhole(file: string, text: string): void {
  rmSync(file, { force: true }); // an existing one could be a link, or have another mode
  const descriptor = openSync(file, 'wx', OWNER_ONLY_FILE);
  try {
    writeSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Without this a power loss could undo the rename. */
function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

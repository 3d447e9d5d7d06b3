/** The files of this repository, as far as it writes them itself. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '..', '..');
const FOREIGN: ReadonlySet<string> = new Set([
  'node_modules',
  'dist',
  'coverage',
  '.git',
  '.cache',
]);

/** Paths relative to the repository, with forward slashes. */
export function repositoryFiles(): readonly string[] {
  return [...walk('')];
}

export function readRepositoryFile(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8');
}

function* walk(folder: string): Generator<string> {
  for (const entry of readdirSync(path.join(ROOT, folder), { withFileTypes: true })) {
    const file = path.posix.join(folder, entry.name);
    if (FOREIGN.has(entry.name)) continue;
    if (entry.isDirectory()) yield* walk(file);
    else yield file;
  }
}

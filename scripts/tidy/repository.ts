/** Reads the files of the repository that the rules check, as git lists them. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

export const ROOT = path.join(import.meta.dirname, '..', '..');
export const COUNTS_FILE = 'scripts/tidy/prose-counts.json';

const FOLDERS = ['src', 'test', 'docs', 'scripts', 'benchmarks'];
/** Files that contain the words as data: the list itself, its tests, and recordings. */
const NOT_PROSE =
  /^scripts\/tidy\/|\.generated\.|\.jsonl$|^test\/vectors\/|^test\/docs\/|^docs\/style\.md$/;

/** Text by path. Empty without git, as in a packed copy. */
export function readRepository(): ReadonlyMap<string, string> {
  const listing = execFileSync(
    'git',
    ['ls-files', '--cached', '--others', '--exclude-standard', ...FOLDERS],
    {
      cwd: ROOT,
      encoding: 'utf8',
      maxBuffer: 16 * 1024 * 1024,
    },
  );
  const files = listing.split('\n').filter((file) => /\.(?:[cm]?ts|md|txt)$/.test(file));
  const texts = new Map<string, string>();
  for (const file of files) {
    if (NOT_PROSE.test(file)) continue;
    try {
      texts.set(file, readFileSync(path.join(ROOT, file), 'utf8'));
    } catch {
      // Deleted in the working tree, but still known to git.
    }
  }
  return texts;
}

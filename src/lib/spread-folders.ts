/**
 * Tells the file system that the folders in a folder have nothing to do with each other.
 *
 *     pods/            what is in a folder lies close to it, and so do all folders in this one,
 *     ├── UID-1/       as those who read them together would want it;
 *     └── UID-2/       with the hint, each of these is given a place of its own
 *
 * ext4 without a journal lets a name that was deleted rest for some minutes, and looks at all that rest
 * nearby for each new one. Where hundreds of pods come and go in one place, a new file soon takes ten
 * times as long as at first. In places of their own they do not meet what others have left behind.
 *
 * It is a hint: where it cannot be given, all goes on as before.
 */
import { readFileSync, readlinkSync, statSync } from 'node:fs';
import path from 'node:path';
import { CommandShell } from './command-shell.ts';

export interface SpreadOptions {
  /** Where the kernel tells of its file systems. */
  readonly sysFolder?: string;
  /** Instead of starting programs, in tests. */
  readonly run?: (words: readonly string[]) => Promise<void>;
}

const NO_JOURNAL = '<none>';

/** The folders must be there. Never rejects. */
export async function spreadFolders(
  folders: readonly string[],
  { sysFolder = '/sys', run = runOnce }: SpreadOptions = {},
): Promise<void> {
  const gaining = folders.filter((folder) => hasNoJournal(folder, sysFolder));
  if (gaining.length === 0) return;
  // For lack of the program, or of the right to it, they stay together.
  await run(['chattr', '+T', '--', ...gaining]).catch(() => undefined);
}

function hasNoJournal(folder: string, sysFolder: string): boolean {
  try {
    const device = deviceName(statSync(folder).dev);
    const name = path.basename(readlinkSync(path.join(sysFolder, 'dev/block', device)));
    const task = readFileSync(path.join(sysFolder, 'fs/ext4', name, 'journal_task'), 'utf8');
    return task.trim() === NO_JOURNAL;
  } catch {
    // Another file system, which has ways of its own.
    return false;
  }
}

/** As the kernel spells it, such as 8:1. */
function deviceName(device: number): string {
  const major = (device >>> 8) & 0xfff;
  const minor = (device & 0xff) | ((device >>> 12) & 0xfff00);
  return `${major}:${minor}`;
}

async function runOnce(words: readonly string[]): Promise<void> {
  const shell = new CommandShell();
  await shell.run(words).finally(() => shell.close());
}

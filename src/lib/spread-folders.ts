/**
 * Gives the file system a hint that the subfolders of a folder are unrelated (the attribute `T` of ext4).
 *
 *     pods/            by default ext4 stores subfolders close to their folder,
 *     ├── UID-1/       which is good if they are read together;
 *     └── UID-2/       with the hint, each of these is stored elsewhere on the disk
 *
 * ext4 without a journal does not reuse a deleted inode for some minutes, and scans the inodes nearby for
 * each new one. If hundreds of pods are created and deleted in one area of the disk, a new file soon takes
 * ten times as long as at first. In separate areas a pod does not scan inodes that other pods have deleted.
 *
 * It is only a hint: if it cannot be given, everything still works.
 */
import { readFileSync, readlinkSync, statSync } from 'node:fs';
import path from 'node:path';
import { CommandShell } from './command-shell.ts';

export interface SpreadOptions {
  /** The folder in which the kernel lists its file systems. */
  readonly sysFolder?: string;
  /** In tests: replaces starting a program. */
  readonly run?: (args: readonly string[]) => Promise<void>;
}

const NO_JOURNAL = '<none>';

/** The folders must exist. Never rejects. */
export async function spreadFolders(
  folders: readonly string[],
  { sysFolder = '/sys', run = runOnce }: SpreadOptions = {},
): Promise<void> {
  const gaining = folders.filter((folder) => hasNoJournal(folder, sysFolder));
  if (gaining.length === 0) return;
  // Without chattr, or the right to use it, the folders stay close together.
  await run(['chattr', '+T', '--', ...gaining]).catch(() => undefined);
}

function hasNoJournal(folder: string, sysFolder: string): boolean {
  try {
    const device = deviceName(statSync(folder).dev);
    const name = path.basename(readlinkSync(path.join(sysFolder, 'dev/block', device)));
    const task = readFileSync(path.join(sysFolder, 'fs/ext4', name, 'journal_task'), 'utf8');
    return task.trim() === NO_JOURNAL;
  } catch {
    // Another file system, which does not need the hint.
    return false;
  }
}

/** The kernel's name of a device, such as 8:1. */
function deviceName(device: number): string {
  const major = (device >>> 8) & 0xfff;
  const minor = (device & 0xff) | ((device >>> 12) & 0xfff00);
  return `${major}:${minor}`;
}

async function runOnce(args: readonly string[]): Promise<void> {
  const shell = new CommandShell();
  await shell.run(args).finally(() => shell.close());
}

/** The error of a command that is not found inside a container, in the sentences that other runtimes use. */
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import type { Machine } from './machine.ts';
import { isInside } from './mount-table.ts';
import type { ContainerRecord } from './records.ts';

type Command = Pick<ContainerRecord, 'argv' | 'env' | 'imageRoot'>;

/** What containers without an image see of the machine. */
export interface ShownTree {
  readonly folders: readonly string[];
  /** Where the user who started podkeep finds commands. */
  readonly machinePath: string;
}

export function missingCommand(
  { argv, env, imageRoot }: Command,
  machine: Pick<Machine, 'isolation'>,
  shown: ShownTree,
): string {
  const [command = ''] = argv;
  const problem = command.includes('/')
    ? 'no such file or directory, or not a program that this user may run'
    : 'executable file not found in $PATH';
  const text = `exec: ${JSON.stringify(command)}: ${problem}`;
  if (imageRoot !== undefined || machine.isolation === 'none') return text;
  const hidden = hiddenFolderOf(command, env, shown);
  return hidden === undefined ? text : `${text} (${hiddenHint(hidden)})`;
}

function hiddenHint(folder: string): string {
  return (
    `${folder} of the machine is hidden from containers; name it in the setting ` +
    `process.tree of podkeep's configuration to show it read-only`
  );
}

/** Where the machine has the command, if containers do not see that folder. */
function hiddenFolderOf(
  command: string,
  env: ContainerRecord['env'],
  { folders: shownFolders, machinePath }: ShownTree,
): string | undefined {
  const searched = [env.find(([name]) => name === 'PATH')?.[1] ?? '', machinePath];
  const folders = command.includes('/')
    ? [path.dirname(command)]
    : searched.flatMap((text) => text.split(':')).filter((folder) => path.isAbsolute(folder));
  return folders.find((folder) => {
    if (shownFolders.some((shown) => isInside(folder, shown))) return false;
    return isExecutable(path.join(folder, path.basename(command)));
  });
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

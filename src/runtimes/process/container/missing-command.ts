/** Builds the error for a command that is not found inside a container, with the text of other runtimes. */
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import type { Machine } from '../machine/machine.ts';
import { isInside } from '../machine/mount-table.ts';
import type { ContainerRecord } from './records.ts';

type Command = Pick<ContainerRecord, 'argv' | 'env' | 'imageRoot'>;

/** The folders of the machine that containers without an image see. */
export interface ShownTree {
  readonly folders: readonly string[];
  /** The PATH of the user who started podkeep. */
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
  const folder = machineFolderOf(command, env, shown);
  const hints = folder === undefined ? [] : hintsOf(command, folder, env, shown);
  return hints.length === 0 ? text : `${text} (${hints.join('; ')})`;
}

/** A hint for each cause: the folder is hidden from containers, or is not on the container's PATH. */
function hintsOf(
  command: string,
  folder: string,
  env: ContainerRecord['env'],
  { folders: shownFolders }: ShownTree,
): readonly string[] {
  const isShown = shownFolders.some((shown) => isInside(folder, shown));
  const isSearched = command.includes('/') || searchPathOf(env).split(':').includes(folder);
  return [
    ...(isShown
      ? []
      : [
          `${folder} of the machine is hidden from containers; name it in the setting ` +
            `process.tree of podkeep's configuration to show it read-only`,
        ]),
    ...(isSearched
      ? []
      : [`${folder} is not in the container's $PATH: call it ${path.join(folder, command)}`]),
  ];
}

/** The machine's folder that has the command, if containers do not see or search it. */
function machineFolderOf(
  command: string,
  env: ContainerRecord['env'],
  { folders: shownFolders, machinePath }: ShownTree,
): string | undefined {
  const searched = searchPathOf(env);
  const folders = command.includes('/')
    ? [path.dirname(command)]
    : [searched, machinePath]
        .flatMap((text) => text.split(':'))
        .filter((folder) => path.isAbsolute(folder));
  return folders.find((folder) => {
    const isSearched = command.includes('/') || searched.split(':').includes(folder);
    if (isSearched && shownFolders.some((shown) => isInside(folder, shown))) return false;
    return isExecutable(path.join(folder, path.basename(command)));
  });
}

function searchPathOf(env: ContainerRecord['env']): string {
  return env.find(([name]) => name === 'PATH')?.[1] ?? '';
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

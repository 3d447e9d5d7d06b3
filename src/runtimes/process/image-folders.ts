/**
 * The folders of the machine that an image mapped to a command needs: its working directory, and the folder
 * of its program. Containers of the image see them read-only, at the same paths. What containers see anyway
 * stays as it is: programs of the machine, and folders such as /tmp that each container has for itself.
 */
import { realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Mount } from '../../ports/runtime/container-config.ts';
import { isInside } from './machine/mount-table.ts';
import type { CommandImage, ResolvedImage } from './options.ts';
import { EMPTY_FOLDERS } from './root/machine-tree.ts';

/** Programs and libraries of the machine, which all containers without an image see. */
export const SHOWN_FOLDERS: readonly string[] = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
];
/** Each container has its own. */
const OWN_TREES = ['/proc', '/sys', '/dev', '/run', '/etc'];
const OWN_FOLDERS: ReadonlySet<string> = new Set([
  '/',
  ...Object.keys(EMPTY_FOLDERS).map((name) => `/${name}`),
]);

export function resolveCommand(mapping: CommandImage): ResolvedImage {
  const [program = '', ...rest] = mapping.command;
  const programFolder = path.isAbsolute(program) ? shownFolder(path.dirname(program)) : undefined;
  const { workingDir: wanted } = mapping;
  const workingDir = wanted === undefined ? undefined : shownFolder(wanted);
  const shown = [workingDir, programFolder].flatMap((each) => each ?? []);
  if (shown.length === 0) return { defaults: mapping };
  // A folder inside another comes with it.
  const outer = shown.filter((each) => !shown.some((o) => o !== each && isInside(each, o)));
  const command = programFolder
    ? [path.join(programFolder, path.basename(program)), ...rest]
    : mapping.command;
  return {
    defaults: { ...mapping, command, ...(workingDir && { workingDir }) },
    shown: [...new Set(outer)],
  };
}

/** Its real path, which shows what must stay hidden inside; undefined: nothing has to be shown. */
function shownFolder(folder: string): string | undefined {
  const isThere = statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
  if (!isThere || !path.isAbsolute(folder)) return undefined;
  const real = realpathSync(folder);
  const isOwn = OWN_FOLDERS.has(real) || OWN_FOLDERS.has(path.normalize(folder));
  if (isOwn || [...SHOWN_FOLDERS, ...OWN_TREES].some((top) => isInside(real, top)))
    return undefined;
  return real;
}

/** Mounts of the spec take precedence. */
export function imageMounts(shown: readonly string[], own: readonly Mount[]): readonly Mount[] {
  const taken = new Set(own.map(({ containerPath }) => path.posix.normalize(containerPath)));
  return shown
    .filter((folder) => !taken.has(folder))
    .map((folder) => ({
      containerPath: folder,
      hostPath: folder,
      isReadOnly: true,
      isRecursiveReadOnly: true,
      propagation: 'None',
      isHostPath: true,
    }));
}

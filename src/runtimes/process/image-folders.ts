/**
 * For an image that is mapped to a command, decides which folders of the machine that command needs: its
 * working directory, and the folder of its program. The containers see them read-only, at the same paths.
 * Folders that containers see anyway are left out: the machine's programs, and folders such as /tmp that each
 * container has for itself.
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
/** Each container has its own version of these. */
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
  // A folder inside another one needs no mount of its own.
  const outer = shown.filter((each) => !shown.some((o) => o !== each && isInside(each, o)));
  const command = programFolder
    ? [path.join(programFolder, path.basename(program)), ...rest]
    : mapping.command;
  return {
    defaults: { ...mapping, command, ...(workingDir && { workingDir }) },
    shown: [...new Set(outer)],
  };
}

/** The real path of a folder to show. Undefined: it does not exist, or containers have it anyway. */
function shownFolder(folder: string): string | undefined {
  const isThere = statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
  if (!isThere || !path.isAbsolute(folder)) return undefined;
  const real = realpathSync(folder);
  const isOwn = OWN_FOLDERS.has(real) || OWN_FOLDERS.has(path.normalize(folder));
  if (isOwn || [...SHOWN_FOLDERS, ...OWN_TREES].some((top) => isInside(real, top)))
    return undefined;
  return real;
}

/** The mounts that show these folders. Mounts of the spec at the same path take precedence. */
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

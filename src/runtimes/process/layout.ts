/**
 * Paths of the process runtime's files:
 *
 *     FOLDER/keeper.json                     the podkeep that has locked this folder (folder-lock.ts)
 *     FOLDER/init.sh, guard.sh               the scripts that run without podkeep
 *     FOLDER/guard                           the PID of the newest guard
 *     FOLDER/images/DIGEST/                  unpacked images
 *     FOLDER/trees/KEY/                      what containers without an image see above the machine's folders
 *     FOLDER/memory                          where the environments of containers are (lib/memory-folder.ts)
 *     FOLDER/root/                           where each container, in its own mount namespace, has its root
 *     FOLDER/pods/UID/sandbox-ATTEMPT.json   the record of a sandbox, beside its .resolv.conf and .holder
 *     FOLDER/pods/UID/NAME-ATTEMPT/          a container
 *         config.json    its record (record-file.ts); with this file the container exists
 *         claim          its monitor: created exclusively by the one that starts it
 *         state          the monitor's notes about it, line by line
 *         attach         a socket on which the monitor answers clients
 *       and if a shell, or the version before this one, started it:
 *         setup.sh, run.sh, trouble
 *         stdout, stderr its output, until it is in the log; position: how much of it is
 *         stdin          a named pipe, if the container has a stdin
 *         oom            it was killed because it exceeded its memory limit
 *         result.json    how it ended
 */
import path from 'node:path';
import { runtimeNameInvalid } from './errors.ts';

const NAME = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,252}$/;

/** A key that distinguishes this runtime's files outside of its folder from those of other runtimes. */
export { folderKey as keyOf } from '../../lib/memory-folder.ts';

export function podsFolder(folder: string): string {
  return path.join(folder, 'pods');
}

export function podFolder(folder: string, podUid: string): string {
  return path.join(podsFolder(folder), checkName('pod UID', podUid));
}

/** Names of containers have no dot, so this cannot be the folder of a container. */
export function sandboxFile(
  folder: string,
  podUid: string,
  attempt: number,
  kind: 'json' | 'resolv.conf' | 'holder' = 'json',
): string {
  return path.join(podFolder(folder, podUid), `sandbox-${attempt}.${kind}`);
}

export function containerFolder(
  folder: string,
  podUid: string,
  name: string,
  attempt: number,
): string {
  const own = `${checkName('container name', name)}-${attempt}`;
  return path.join(podFolder(folder, podUid), own);
}

export function treesFolder(folder: string): string {
  return path.join(folder, 'trees');
}

/** Each container mounts its own root here, invisible to the others. */
export function rootPlace(folder: string): string {
  return path.join(folder, 'root');
}

export function imagesFolder(folder: string): string {
  return path.join(folder, 'images');
}

/** Names come from API objects; none may lead out of the folder. */
function checkName(field: string, value: string): string {
  if (!NAME.test(value)) throw runtimeNameInvalid({ field, value });
  return value;
}

/** The path of a container's log: always inside the sandbox's folder. */
export function logFileOf(logFolder: string, logPath: string): string {
  const file = path.resolve(logFolder, logPath);
  if (!path.isAbsolute(logFolder) || !file.startsWith(`${path.resolve(logFolder)}${path.sep}`)) {
    throw runtimeNameInvalid({ field: 'log path', value: logPath });
  }
  return file;
}

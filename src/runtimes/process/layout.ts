/**
 * Where things are:
 *
 *     FOLDER/keeper.json                     who looks after this folder
 *     FOLDER/init.sh, guard.sh               the scripts that run without podkeep
 *     FOLDER/guard                           which guard is the last that came
 *     FOLDER/images/DIGEST/                  unpacked images
 *     FOLDER/trees/KEY/                      what containers without an image see above the machine's folders
 *     FOLDER/root/                           where each container, in its own view, has its root
 *     FOLDER/pods/UID/sandbox-ATTEMPT.json   what a sandbox is, and beside it its .resolv.conf and .holder
 *     FOLDER/pods/UID/NAME-ATTEMPT/          a container
 *         config.json    what it is (records.ts); there from the moment the container exists
 *         claim          its monitor: written by the one that gets to start it
 *         state          what has become of it, line by line, written by the monitor
 *         attach         a socket on which the monitor answers clients
 *       and where a shell, or the version before this one, has started it:
 *         setup.sh, run.sh, trouble
 *         stdout, stderr its output, until it is in the log; position: how far it is
 *         stdin          a named pipe, if it reads
 *         oom            it was ended for its memory
 *         result.json    how it ended
 */
import { createHash } from 'node:crypto';
import path from 'node:path';
import { runtimeNameInvalid } from './errors.ts';

const NAME = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,252}$/;

/** Tells what one runtime has outside of its folder from what another has there. */
export function keyOf(folder: string): string {
  return createHash('sha256').update(folder).digest('hex').slice(0, 8);
}

export function podsFolder(folder: string): string {
  return path.join(folder, 'pods');
}

export function podFolder(folder: string, podUid: string): string {
  return path.join(podsFolder(folder), checkName('pod UID', podUid));
}

/** No container has a name with a dot in it. */
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

/** Each container mounts its own there, which no other sees. */
export function rootPlace(folder: string): string {
  return path.join(folder, 'root');
}

export function imagesFolder(folder: string): string {
  return path.join(folder, 'images');
}

/** Names come from outside; none of them may lead out of its folder. */
function checkName(field: string, value: string): string {
  if (!NAME.test(value)) throw runtimeNameInvalid({ field, value });
  return value;
}

/** Where a container's log goes: inside the sandbox's folder, whatever the path says. */
export function logFileOf(logFolder: string, logPath: string): string {
  const file = path.resolve(logFolder, logPath);
  if (!path.isAbsolute(logFolder) || !file.startsWith(`${path.resolve(logFolder)}${path.sep}`)) {
    throw runtimeNameInvalid({ field: 'log path', value: logPath });
  }
  return file;
}

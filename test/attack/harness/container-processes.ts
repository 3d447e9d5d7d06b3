/**
 * Finds processes of containers from outside, as the machine sees them: by a number in their command line
 * that is drawn for the run. Nothing else in the suite knows how a container's processes are found.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { waitFor } from '../../e2e/support/patience.ts';

/** The process that runs `sleep MARKER`; undefined: there is none in time. */
export async function findSleeper(marker: string, seconds: number): Promise<number | undefined> {
  const patience = { what: `sleep ${marker}`, deadlineMs: seconds * 1000 };
  return waitFor(patience, () =>
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .find(
        (pid) =>
          /(?:^|\/)sleep\0/.test(read(pid, 'cmdline')) && read(pid, 'cmdline').includes(marker),
      ),
  ).catch(() => undefined);
}

/** The first process of the process namespace that a process is in; the process itself if it is that. */
export function initOf(pid: number): number | undefined {
  for (let each = pid; each > 1; each = Number(field(each, 'PPid'))) {
    const inside = field(each, 'NSpid').split(/\s+/);
    if (inside.length > 1 && inside.at(-1) === '1') return each;
  }
  return undefined;
}

export function field(pid: number, name: string): string {
  return new RegExp(`^${name}:[ \\t]*(.*)$`, 'm').exec(read(pid, 'status'))?.[1]?.trim() ?? '';
}

/** Empty: the process has ended, or this user may not read the file. */
export function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
}

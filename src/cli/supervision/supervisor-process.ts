/**
 * Finds the supervisor of a data folder, for `podkeep down`: it has to be stopped, not only the podkeep that it
 * would start again.
 *
 *     DIR/supervisor.pid   its process ID, and when that process began by /proc
 *
 * A process that got the same ID later began at another time. Where there is no /proc, a file proves nothing and is
 * ignored: podkeep reports to its supervisor that it was asked to stop.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';

const START_FIELD = 19;

/** Null: the folder has no supervisor that runs. */
export function supervisorOf(folder: string, proc = '/proc'): number | null {
  const [pid = '', start = ''] = read(path.join(folder, 'supervisor.pid')).trim().split(' ');
  if (!/^[1-9]\d*$/.test(pid) || start === '') return null;
  // The name of a process may have any character in it.
  const fields = read(`${proc}/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ');
  return fields[START_FIELD] === start ? Number(pid) : null;
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // it does not exist
  }
}

/**
 * Finds the supervisor of a data folder, for `podkeep down`, which must stop the supervisor: otherwise it
 * would restart podkeep.
 *
 *     DIR/supervisor.pid   its PID, and the start time of that process in /proc
 *
 * A later process with the same PID has another start time. Without /proc the file proves nothing and is
 * ignored; there podkeep itself notifies its supervisor that it was asked to stop.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';

const START_FIELD = 19;

/** Null: no supervisor runs on the folder. */
export function supervisorOf(folder: string, proc = '/proc'): number | null {
  const [pid = '', start = ''] = read(path.join(folder, 'supervisor.pid')).trim().split(' ');
  if (!/^[1-9]\d*$/.test(pid) || start === '') return null;
  // The process name in this file may hold any character, so it is cut off first.
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

/**
 * As whom podkeep and kubectl run: as whoever runs the tests, or, if those are root's, as the user that
 * PODKEEP_E2E_USER names. One suite so shows both what root gets and what everybody else gets.
 */
import { readFileSync } from 'node:fs';

export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  /** The words before a command that make it run as this user. */
  readonly prefix: readonly string[];
}

export function chosenAccount(): Account {
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  const name = process.env['PODKEEP_E2E_USER'];
  if (name === undefined || name === '') return { name: String(uid), uid, gid, prefix: [] };
  const row = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .find(([known]) => known === name);
  if (row === undefined) throw new Error(`PODKEEP_E2E_USER: there is no user ${name}`);
  return become(name, Number(row[2]), Number(row[3]));
}

/** The signal comes last: a change of the user takes it away. */
function become(name: string, uid: number, gid: number): Account {
  const rights = ['--clear-groups', '--inh-caps=-all', '--pdeathsig=KILL'];
  const prefix = ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, ...rights, '--'];
  return { name, uid, gid, prefix };
}

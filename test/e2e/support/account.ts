/**
 * The user that podkeep and kubectl run as: the user of the tests, or, for root, the one that
 * PODKEEP_E2E_USER names. So one suite shows both what root gets and what other users get.
 */
import { readFileSync } from 'node:fs';

export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  /** The prefix of a command that makes it run as this user. */
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

/** The parent-death signal comes last: a change of the user clears it. */
function become(name: string, uid: number, gid: number): Account {
  const rights = ['--clear-groups', '--inh-caps=-all', '--pdeathsig=KILL'];
  const prefix = ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, ...rights, '--'];
  return { name, uid, gid, prefix };
}

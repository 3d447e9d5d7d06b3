/**
 * The user that podkeep runs as: root, or an ordinary user. If root runs the suite, the ordinary user is
 * the one that PODKEEP_E2E_USER names, or one that is created for the run and removed after it.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Mode } from './types.ts';

export interface TrustedAccount {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  /** The prefix of a command that makes it run as this user. */
  readonly prefix: readonly string[];
  readonly remove: () => void;
}

/** A string: why this machine cannot run podkeep so. */
export function openAccount(mode: Mode): TrustedAccount | string {
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  const keep = (): void => undefined;
  if (mode !== 'user') {
    if (uid !== 0) return 'the suite does not run as root';
    return { name: 'root', uid, gid, prefix: [], remove: keep };
  }
  if (uid !== 0) return { name: String(uid), uid, gid, prefix: [], remove: keep };
  const wished = process.env['PODKEEP_E2E_USER'];
  if (wished) return accountOf(wished, keep);
  const name = `pkattack${process.pid}`;
  try {
    execFileSync('useradd', ['--no-create-home', '--shell', '/bin/sh', name], { stdio: 'pipe' });
  } catch (error) {
    return `useradd failed, and PODKEEP_E2E_USER names no user: ${String(error)}`;
  }
  return accountOf(name, () => {
    // By force: the guard of podkeep's folder may still run for a second or two.
    execFileSync('userdel', ['--force', name], { stdio: 'ignore' });
  });
}

function accountOf(name: string, remove: () => void): TrustedAccount | string {
  const rows = readFileSync('/etc/passwd', 'utf8').split('\n');
  const row = rows.map((line) => line.split(':')).find(([known]) => known === name);
  if (row === undefined) return `there is no user ${name}`;
  const [uid, gid] = [Number(row[2]), Number(row[3])];
  // The parent-death signal comes last: a change of the user clears it.
  const rights = ['--clear-groups', '--inh-caps=-all', '--pdeathsig=KILL', '--'];
  const prefix = ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, ...rights];
  return { name, uid, gid, prefix, remove };
}

/**
 * Takes etcd out of Debian's package without installing it: no service, no user, no root needed
 * beyond what apt asks for to download.
 */
import { copyFileSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { runCommand } from './command.ts';
import { programMissing } from './errors.ts';

const PACKAGE = 'etcd-server';

export async function fetchEtcd(output: string): Promise<void> {
  // Beside its place, so that the last step is a rename within one disk.
  const folder = mkdtempSync(path.join(path.dirname(output), '.etcd-'));
  const use = 'to fetch etcd from Debian';
  try {
    await runCommand(['apt-get', 'download', '-q', PACKAGE], { cwd: folder, use }).catch(
      async () => {
        // A fresh machine has no list of packages yet.
        await runCommand(['apt-get', 'update', '-q'], { cwd: folder, use });
        await runCommand(['apt-get', 'download', '-q', PACKAGE], { cwd: folder, use });
      },
    );
    const file = readdirSync(folder).find((name) => name.endsWith('.deb'));
    if (file === undefined) throw programMissing({ program: PACKAGE, use });
    await runCommand(['dpkg-deb', '-x', file, 'content'], { cwd: folder, use });
    const unfinished = path.join(folder, 'etcd');
    copyFileSync(path.join(folder, 'content/usr/bin/etcd'), unfinished);
    renameSync(unfinished, output);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

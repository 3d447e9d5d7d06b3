/** What the tests of a real cluster need of the machine; without it they report that and do not begin. */
import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  clusterMissing,
  diskTooFull,
  programMissing,
  rootMissing,
} from '../../../scripts/cluster/errors.ts';
import { containersFolder } from '../../../scripts/cluster/cache-folder.ts';
import { requirePrograms } from '../../e2e/support/programs.ts';

const GIB = 2 ** 30;
/** Images unpacked twice, containers' files, logs, and etcd's data. */
const NEEDED_GIB = 3;
const USE = 'to run containers';
/** Each is used by the harness or by the tests; `.ci/run` installs them. */
const TOOLS = ['curl', 'ip', 'openssl', 'setpriv', 'tar', 'umount'];

export function requireCluster(): void {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) throw rootMissing({ use: USE });
  if (!isWritable('/sys/fs/cgroup')) throw rootMissing({ use: USE });
  for (const program of TOOLS) {
    if (!isOnPath(program)) throw programMissing({ program, use: USE });
  }
  requirePrograms();
  const containers = containersFolder(process.env);
  if (!existsSync(containers)) throw clusterMissing({ missing: ['containerd', 'runc'] });
  requireDiskSpace(tmpdir());
}

function requireDiskSpace(folder: string): void {
  const { bavail, bsize } = statfsSync(folder);
  const freeGiB = (bavail * bsize) / GIB;
  if (freeGiB >= NEEDED_GIB) return;
  throw diskTooFull({ folder, freeGiB: freeGiB.toFixed(1), neededGiB: NEEDED_GIB });
}

function isOnPath(program: string): boolean {
  const folders = (process.env['PATH'] ?? '').split(':');
  return folders.some((folder) => existsSync(path.join(folder, program)));
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Extracts etcd from Debian's package. */
import { renameSync } from 'node:fs';
import path from 'node:path';
import { withPackages } from './debian.ts';

export async function fetchEtcd(output: string): Promise<void> {
  const packages = { names: ['etcd-server'], use: 'to fetch etcd from Debian' };
  await withPackages(output, packages, (content) => {
    renameSync(path.join(content, 'usr/bin/etcd'), output);
  });
}

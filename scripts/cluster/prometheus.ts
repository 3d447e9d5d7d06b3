/** Takes Prometheus out of Debian's package: tests ask it what a dashboard would. */
import { renameSync } from 'node:fs';
import path from 'node:path';
import { withPackages } from './debian.ts';

export async function fetchPrometheus(output: string): Promise<void> {
  const packages = { names: ['prometheus'], use: 'to fetch Prometheus from Debian' };
  await withPackages(output, packages, (content) => {
    renameSync(path.join(content, 'usr/bin/prometheus'), output);
  });
}

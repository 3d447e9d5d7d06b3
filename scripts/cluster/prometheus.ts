/** Extracts Prometheus from Debian's package; tests send it the queries of dashboards. */
import { renameSync } from 'node:fs';
import path from 'node:path';
import { withPackages } from './debian.ts';

export async function fetchPrometheus(output: string): Promise<void> {
  const packages = { names: ['prometheus'], use: 'to fetch Prometheus from Debian' };
  await withPackages(output, packages, (content) => {
    renameSync(path.join(content, 'usr/bin/prometheus'), output);
  });
}

/** The operator of the folder beside: built once for a test, started as often as needed. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { buildWithGo, findGo } from '../../../scripts/cluster/go.ts';
import { cacheFolder } from '../../../scripts/cluster/cache-folder.ts';
import type { RunningApiServer } from './api-server.ts';
import { Daemon } from './daemon.ts';

const MODULE = path.join(import.meta.dirname, '../operator');

export const OPERATOR_CRD = path.join(MODULE, 'crd.yaml');

/** Go builds only what changed, so that a second time costs a moment. */
export async function buildOperator(): Promise<string> {
  const folder = path.join(cacheFolder(process.env), 'operator');
  mkdirSync(folder, { recursive: true });
  const output = path.join(folder, 'operator');
  await buildWithGo(findGo(), { module: MODULE, target: '.', output });
  return output;
}

/** Returns as soon as it runs; its lease shows whether it leads. */
export function startOperator(program: string, name: string, server: RunningApiServer): Daemon {
  return new Daemon({
    name,
    command: program,
    folder: server.folder,
    args: [`--identity=${name}`],
    env: { KUBECONFIG: server.kubeconfig },
  });
}

/** kube-controller-manager and kube-scheduler, to run against any server of the Kubernetes API. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import path from 'node:path';
import { stringify } from 'yaml';
import type { Program } from '../../../scripts/cluster/cache-folder.ts';
import { Daemon } from './daemon.ts';
import { findFreePort } from './free-port.ts';
import { findProgram } from './programs.ts';

const READY_MS = 60_000;

export interface ControllerManagerOptions {
  readonly kubeconfig: string;
  /** The folder of its log and its certificate. */
  readonly folder: string;
  /** Which controllers run, by name; `*` for all that run by default. */
  readonly controllers: readonly string[];
  /** The key that signs service account tokens, and the CA certificate that pods get. */
  readonly signingKey?: string;
  readonly rootCa?: string;
  /** Further flags. */
  readonly more?: readonly string[];
}

export function startControllerManager(options: ControllerManagerOptions): Promise<Daemon> {
  const { kubeconfig, folder, controllers, signingKey, rootCa, more = [] } = options;
  return startServing('kube-controller-manager', folder, [
    `--kubeconfig=${kubeconfig}`,
    `--controllers=${controllers.join(',')}`,
    '--leader-elect=false',
    // There is no cloud provider to configure routes.
    '--allocate-node-cidrs=false',
    ...(signingKey === undefined ? [] : [`--service-account-private-key-file=${signingKey}`]),
    ...(rootCa === undefined ? [] : [`--root-ca-file=${rootCa}`]),
    ...more,
  ]);
}

/**
 * It only schedules pods that name it (`schedulerName`), so that its work cannot be confused with
 * another's.
 */
export function startScheduler(
  kubeconfig: string,
  folder: string,
  name: string,
  more: readonly string[] = [],
): Promise<Daemon> {
  mkdirSync(folder, { recursive: true });
  const config = path.join(folder, 'scheduler.yaml');
  const content = {
    apiVersion: 'kubescheduler.config.k8s.io/v1',
    kind: 'KubeSchedulerConfiguration',
    clientConnection: { kubeconfig },
    leaderElection: { leaderElect: false },
    profiles: [{ schedulerName: name }],
  };
  writeFileSync(config, stringify(content));
  return startServing('kube-scheduler', folder, [`--config=${config}`, ...more]);
}

/** Both serve their health on a port, which must not be the default. */
async function startServing(
  program: Program,
  folder: string,
  args: readonly string[],
): Promise<Daemon> {
  const port = await findFreePort();
  const own = path.join(folder, program);
  mkdirSync(own, { recursive: true });
  const daemon = new Daemon({
    name: program,
    command: findProgram(program),
    folder,
    args: [...args, '--bind-address=127.0.0.1', `--secure-port=${port}`, `--cert-dir=${own}`],
  });
  try {
    await daemon.waitUntilReady(READY_MS, () => isHealthy(port));
    return daemon;
  } catch (error) {
    await daemon.stop();
    throw error;
  }
}

function isHealthy(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    // Its certificate is self-signed, and only its health is read.
    get(
      { host: '127.0.0.1', port, path: '/healthz', rejectUnauthorized: false, timeout: 5_000 },
      (response) => {
        response.resume();
        resolve(response.statusCode === 200);
      },
    ).on('error', reject);
  });
}

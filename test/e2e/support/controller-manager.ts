/** kube-controller-manager and kube-scheduler, to run against any server that speaks their API. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import path from 'node:path';
import { stringify } from 'yaml';
import type { Program } from '../../../scripts/cluster/place.ts';
import { Daemon } from './daemon.ts';
import { findFreePort } from './free-port.ts';
import { findProgram } from './programs.ts';

const READY_MS = 60_000;

export interface ControllerManagerOptions {
  readonly kubeconfig: string;
  /** Where its log and its own certificate go. */
  readonly folder: string;
  /** Which controllers run, by name; `*` for all that run by default. */
  readonly controllers: readonly string[];
  /** With these it gives out tokens and the certificate that they are used with. */
  readonly signingKey?: string;
  readonly rootCa?: string;
  /** What else it is told. */
  readonly more?: readonly string[];
}

export function startControllerManager(options: ControllerManagerOptions): Promise<Daemon> {
  const { kubeconfig, folder, controllers, signingKey, rootCa, more = [] } = options;
  return startServing('kube-controller-manager', folder, [
    `--kubeconfig=${kubeconfig}`,
    `--controllers=${controllers.join(',')}`,
    '--leader-elect=false',
    // A cloud would name the routes; nothing here does.
    '--allocate-node-cidrs=false',
    ...(signingKey === undefined ? [] : [`--service-account-private-key-file=${signingKey}`]),
    ...(rootCa === undefined ? [] : [`--root-ca-file=${rootCa}`]),
    ...more,
  ]);
}

/** It minds those pods alone that ask for it by `name`, so that nobody else's work passes for its. */
export function startScheduler(kubeconfig: string, folder: string, name: string): Promise<Daemon> {
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
  return startServing('kube-scheduler', folder, [`--config=${config}`]);
}

/** Both serve their health on a port of their own, which must not be the usual one. */
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
    // Its certificate is its own word, and all that it is asked is whether it lives.
    get(
      { host: '127.0.0.1', port, path: '/healthz', rejectUnauthorized: false, timeout: 5_000 },
      (response) => {
        response.resume();
        resolve(response.statusCode === 200);
      },
    ).on('error', reject);
  });
}

/**
 * `podkeep up` on a containerd of its own, alone or with the real kube-controller-manager.
 *
 * The latter elects a leader, so podkeep's own workload controllers wait while it leads.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Containerd } from '../cluster/support/containerd.ts';
import { clearTraces, makeClusterFolder } from '../cluster/support/traces.ts';
import { Api } from '../e2e/support/api.ts';
import { startControllerManager } from '../e2e/support/controller-manager.ts';
import { Daemon } from '../e2e/support/daemon.ts';
import { waitFor } from '../e2e/support/patience.ts';
import { podkeepProgram } from '../e2e/support/podkeep-up.ts';
import { removeWorkFolder } from '../e2e/support/work-folder.ts';
import { ImageStores, type RunningCluster } from './running-cluster.ts';

const START_MS = 90_000;
const STOP_MS = 60_000;
const NODE = 'node-1';
/** On a busy machine a leader with the usual ten seconds gives up, and podkeep's controllers take over. */
const PATIENT_LEADER = [
  '--leader-elect-lease-duration=150s',
  '--leader-elect-renew-deadline=120s',
  '--leader-elect-retry-period=5s',
];

export class UpCluster implements RunningCluster {
  readonly #folder = makeClusterFolder('conformance');
  readonly #data = path.join(this.#folder, 'data');
  readonly #stores = new ImageStores();
  readonly #daemons: Daemon[] = [];

  /** `isManaged`: the real kube-controller-manager runs beside it. */
  static async start(isManaged: boolean): Promise<UpCluster> {
    const cluster = new UpCluster();
    try {
      await cluster.#startPodkeep(await cluster.#stores.start('conformance-1'));
      if (isManaged) await cluster.#startManager();
      return cluster;
    } catch (error) {
      await cluster.remove();
      throw error;
    }
  }

  get kubeconfig(): string {
    return path.join(this.#data, 'kubeconfig');
  }

  get logs(): Readonly<Record<string, string>> {
    const names = ['podkeep', 'manager/kube-controller-manager'];
    return Object.fromEntries(
      names.map((name) => [path.basename(name), path.join(this.#folder, `${name}.log`)]),
    );
  }

  get fault(): string | null {
    return this.#daemons.find(({ ending }) => ending !== undefined)?.tail ?? null;
  }

  async remove(): Promise<void> {
    for (const daemon of this.#daemons.toReversed()) await daemon.stop('SIGTERM', STOP_MS);
    await this.#stores.remove();
    clearTraces(this.#folder);
    removeWorkFolder(this.#folder);
  }

  async #startPodkeep({ endpoint, cgroupRoot }: Containerd): Promise<void> {
    const config = path.join(this.#folder, 'config.yaml');
    const kind = { apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration' };
    writeFileSync(config, JSON.stringify({ ...kind, cgroupRoot }));
    const words = ['up', '--data-dir', this.#data, '--port', '0', '--name', NODE];
    const more = ['--output', 'json', '--config', config, '--runtime', endpoint];
    const daemon = new Daemon({
      name: 'podkeep',
      command: process.execPath,
      folder: this.#folder,
      args: [...podkeepProgram(), ...words, ...more],
    });
    this.#daemons.push(daemon);
    await daemon.waitUntilReady(START_MS, async () => daemon.log.includes('"event":"node"'));
    await this.#nodeReady(daemon);
  }

  async #nodeReady(daemon: Daemon): Promise<void> {
    const api = new Api(this.kubeconfig);
    const patience = { what: 'the node', deadlineMs: START_MS, explain: () => daemon.tail };
    try {
      await waitFor(patience, async () => {
        const { text } = await api.get(`/api/v1/nodes/${NODE}`);
        return (
          /"type":"Ready","status":"True"|"status":"True"[^}]*"type":"Ready"/.test(text) ||
          undefined
        );
      });
    } finally {
      api.close();
    }
  }

  async #startManager(): Promise<void> {
    const folder = path.join(this.#folder, 'manager');
    mkdirSync(folder);
    const { kubeconfig } = this;
    const more = ['--leader-elect=true', ...PATIENT_LEADER];
    this.#daemons.push(
      await startControllerManager({ kubeconfig, folder, controllers: ['*'], more }),
    );
  }
}

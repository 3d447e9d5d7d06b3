/**
 * A simulated node: it registers itself, renews its lease, and reports for every pod that is bound to it
 * the status of a started pod. Nothing runs.
 *
 * Pods with restartPolicy Always are Running and Ready immediately; others have Succeeded immediately;
 * those that are deleted are gone.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../../../src/lib/json.ts';
import { Api } from './api.ts';

interface PodView {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly deletionTimestamp?: string;
  };
  readonly spec: {
    readonly restartPolicy: string;
    readonly containers: readonly { readonly name: string; readonly image: string }[];
  };
  readonly status: { readonly phase?: string };
}

const TICK_MS = 150;
const LEASE_MS = 3_000;
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';

export class SimulatedNode {
  readonly name: string;
  readonly #api: Api;
  readonly #stopping = new AbortController();
  #life: Promise<void> = Promise.resolve();
  #address = 1;
  #renewedAt = 0;

  private constructor(name: string, kubeconfig: string) {
    this.name = name;
    this.#api = new Api(kubeconfig);
  }

  static async start(name: string, kubeconfig: string): Promise<SimulatedNode> {
    const node = new SimulatedNode(name, kubeconfig);
    await node.#register();
    node.#life = node.#live();
    return node;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#life;
    this.#api.close();
  }

  async #register(): Promise<void> {
    const { name } = this;
    const labels = { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux' };
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name, labels } };
    expectCode(await this.#api.create('/api/v1/nodes', node), 201);
    await this.#keepLease();
    await this.#reportReady();
  }

  async #live(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        await this.#keepLease();
        await this.#tendPods();
      } catch (error) {
        // A server that restarts is retried at the next turn, and a test that waits reports why.
        console.error(`${this.name}: ${error instanceof Error ? error.message : String(error)}`);
      }
      await sleep(TICK_MS);
    }
  }

  async #tendPods(): Promise<void> {
    const selector = encodeURIComponent(`spec.nodeName=${this.name}`);
    const { body } = await this.#api.get(`/api/v1/pods?fieldSelector=${selector}`);
    const pods = (body['items'] ?? []) as unknown as readonly PodView[];
    for (const pod of pods) await this.#tendPod(pod);
  }

  async #tendPod({ metadata, spec, status }: PodView): Promise<void> {
    const path = `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}`;
    const { uid } = metadata;
    if (metadata.deletionTimestamp !== undefined) {
      await this.#api.delete(path, {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        gracePeriodSeconds: 0,
        preconditions: { uid },
      });
    } else if (status.phase === undefined || status.phase === 'Pending') {
      const notified =
        spec.restartPolicy === 'Always' ? this.#runningStatus(spec) : endedStatus(spec);
      await this.#api.patch(`${path}/status`, { metadata: { uid }, status: notified });
    }
  }

  #runningStatus({ containers }: PodView['spec']): JsonObject {
    const startedAt = now();
    const podIP = `10.244.0.${this.#address++ % 250}`;
    return {
      phase: 'Running',
      startTime: startedAt,
      hostIP: '192.0.2.10',
      hostIPs: [{ ip: '192.0.2.10' }],
      podIP,
      podIPs: [{ ip: podIP }],
      conditions: ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map((type) =>
        condition(type, 'True'),
      ),
      containerStatuses: containers.map(({ name, image }) => ({
        name,
        image,
        imageID: image,
        ready: true,
        started: true,
        restartCount: 0,
        state: { running: { startedAt } },
      })),
    };
  }

  async #reportReady(): Promise<void> {
    const amounts = { cpu: '8', memory: '16Gi', pods: '110' };
    const status = {
      capacity: amounts,
      allocatable: amounts,
      conditions: [{ ...condition('Ready', 'True'), lastHeartbeatTime: now() }],
      addresses: [{ type: 'InternalIP', address: '192.0.2.10' }],
    };
    expectCode(await this.#api.patch(`/api/v1/nodes/${this.name}/status`, { status }), 200);
  }

  async #keepLease(): Promise<void> {
    if (Date.now() - this.#renewedAt < LEASE_MS) return;
    const spec = {
      holderIdentity: this.name,
      leaseDurationSeconds: 40,
      renewTime: new Date().toISOString().replace('Z', '000Z'),
    };
    const { code } = await this.#api.patch(`${LEASES}/${this.name}`, { spec });
    if (code === 404) {
      const lease = {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: this.name },
        spec,
      };
      expectCode(await this.#api.create(LEASES, lease), 201);
    }
    this.#renewedAt = Date.now();
  }
}

function endedStatus({ containers }: PodView['spec']): JsonObject {
  const at = now();
  return {
    phase: 'Succeeded',
    startTime: at,
    conditions: [condition('Ready', 'False')],
    containerStatuses: containers.map(({ name, image }) => ({
      name,
      image,
      imageID: image,
      ready: false,
      restartCount: 0,
      state: {
        terminated: { exitCode: 0, reason: 'Completed', startedAt: at, finishedAt: at },
      },
    })),
  };
}

function condition(type: string, status: string): JsonObject {
  return { type, status, reason: 'Simulated', lastTransitionTime: now() };
}

function now(): string {
  return `${new Date().toISOString().slice(0, 19)}Z`;
}

function expectCode({ code, text }: { code: number; text: string }, expected: number): void {
  if (code !== expected) throw new Error(`expected ${expected}, got ${code}: ${text}`);
}

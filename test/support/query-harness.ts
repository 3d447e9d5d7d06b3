/** The query interface of a node without a kubelet: tests add pods, store statuses and record decisions. */
import { onTestFinished } from 'vitest';
import type { Pod, PodStatus } from '../../src/api/pod.ts';
import { DecisionHistory } from '../../src/kubelet/decision-history.ts';
import { NodePodManager } from '../../src/kubelet/pod-manager/pod-manager.ts';
import { NodeQuery, type NodeQueryDeps } from '../../src/kubelet/query/node-query.ts';
import type { QueryEvent } from '../../src/kubelet/query/query-event.ts';
import type { QueryWatch } from '../../src/kubelet/query/query-watch.ts';
import type { Usage } from '../../src/kubelet/stats/usage-reader.ts';
import { StatusManager } from '../../src/kubelet/status-manager/status-manager.ts';
import { noProbes, silentLog, silentStatusObserver } from './silent-ports.ts';
import { VirtualClock } from './virtual-clock.ts';

const MIB = 2 ** 20;

export class QueryHarness {
  readonly clock = new VirtualClock();
  readonly pods = new NodePodManager();
  readonly decisions = new DecisionHistory({ log: silentLog });
  readonly status: StatusManager;
  readonly query: NodeQuery;
  readings = 0;

  constructor(options: Partial<NodeQueryDeps> = {}) {
    const { clock, pods, decisions } = this;
    this.status = new StatusManager({
      clock,
      random: { next: () => 0.5 },
      log: silentLog,
      decisions,
      api: undefined,
      pods,
      probes: noProbes,
      observer: silentStatusObserver,
      couldHaveRunningContainers: () => false,
    });
    this.query = new NodeQuery({
      clock,
      nodeName: 'node1',
      epoch: 'e1',
      pods,
      status: this.status,
      decisions,
      usage: { read: () => this.#usage() },
      node: () => ({ node: null, notReadyReasons: ['PLEG is not healthy'], pressures: [] }),
      ...options,
    });
    onTestFinished(() => this.query.close());
  }

  /** Adds a pod, or another version of it. */
  put(name: string, labels: Readonly<Record<string, string>> = {}): Pod {
    const pod = podNamed(name, labels);
    this.pods.update(pod);
    return pod;
  }

  setPhase(name: string, phase: NonNullable<PodStatus['phase']>): void {
    const pod = this.pods.findByName({ namespace: 'default', name })?.pod;
    if (pod) this.status.setPodStatus(pod, { phase });
  }

  remove(name: string): void {
    this.pods.remove(podNamed(name));
  }

  decide(name: string, why: string, more: object = {}): void {
    const pod = { uid: `uid-${name}`, name, namespace: 'default' };
    const decision = {
      atMs: this.clock.now(),
      pod,
      machine: 'pod-worker',
      from: 'a',
      to: 'b',
      why,
    };
    this.decisions.record({ ...decision, ...more });
  }

  /** CPU usage grows by half a core per second. */
  async #usage(): Promise<Usage> {
    this.readings += 1;
    const timeMs = this.clock.now();
    const cpu = { timeMs, usageNanoseconds: 5_000_000_000n, nanoCores: 500_000_000 };
    const memory = { timeMs, workingSetBytes: 64 * MIB, totalBytes: 1024 * MIB };
    const machine = { startedAtMs: 0, cores: 4, cpu, memory, networks: [] };
    const pods = this.pods.pods().map(({ metadata: { uid = '', name = '' } }) => ({
      pod: { uid, name, namespace: 'default' },
      startedAtMs: timeMs,
      containers: [],
      cpu,
      memory: { timeMs, workingSetBytes: 32 * MIB },
    }));
    return { machine, cpu, pods, classes: [] };
  }
}

export function podNamed(name: string, labels: Readonly<Record<string, string>> = {}): Pod {
  return {
    metadata: { name, namespace: 'default', uid: `uid-${name}`, labels },
    spec: { nodeName: 'node1', containers: [{ name: 'main', image: 'busy:1' }] },
  };
}

/** The events that are there now, each in a few words. */
export function taken(watch: QueryWatch): readonly string[] {
  const found: string[] = [];
  for (let event = watch.takeNow(); event; event = watch.takeNow()) found.push(wordsFor(event));
  return found;
}

export function wordsFor({ id, type, object }: QueryEvent): string {
  const { metadata, status, why, items, reason } = object as {
    readonly metadata?: { readonly name: string };
    readonly status?: PodStatus;
    readonly why?: string;
    readonly items?: number;
    readonly reason?: string;
  };
  const pod = metadata && `${metadata.name} ${status?.phase ?? '-'}`;
  return `${id} ${type} ${pod ?? why ?? reason ?? `${items} items`}`;
}

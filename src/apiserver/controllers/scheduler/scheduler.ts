/**
 * The default scheduler, for clusters without kube-scheduler: binds every pending pod to a node.
 *
 *     store ──follow──> cluster and queue ──> placement ──> bound, or refused with a reason
 *                                                  └──> preemption of pods of lower priority
 *
 * The scheduler chooses a node for one pod at a time, and each decision sees the load of all previous ones. A
 * decision counts immediately; its binding is written while the next decisions are made, so the disk does not
 * limit the rate. A refused pod waits until a change could help it (queue/queueing-hints.ts).
 *
 * The scheduler acts only while podkeep holds the Lease `kube-scheduler`. It acquires the Lease with the
 * first pending pod, so an empty cluster has none. While a kube-scheduler holds the Lease, that one schedules
 * instead.
 */
import type { JsonObject } from '../../../lib/json.ts';
import { podDisruptionBudgets } from '../../kinds/apps/pod-disruption-budget.ts';
import { numberAt } from '../../objects/field-path.ts';
import { prefixOf } from '../../registry/registry.ts';
import type { ServerParts } from '../../registry/server-parts.ts';
import type { Controller } from '../controller.ts';
import { isMissing } from '../deletion-request.ts';
import { WorkQueue } from '../work-queue.ts';
import { ControllerLease } from '../workloads/controller-lease.ts';
import { Cluster, type NodeView } from './cluster.ts';
import { ClusterFeed } from './cluster-feed.ts';
import { findDefaultSelector } from './default-selector.ts';
import { placePod, type Placement, type PlacementDeps } from './placement.ts';
import { isOnNode, isPending } from './pod-states.ts';
import { viewPod, type PodView } from './pod-view.ts';
import { PodWriter } from './pod-writer.ts';
import { readBudget, type DisruptionBudget } from './preemption/disruption-budgets.ts';
import { PreemptionExecutor } from './preemption/preemption-executor.ts';
import type { ClusterChange } from './queue/cluster-change.ts';
import { couldHelp } from './queue/queueing-hints.ts';
import { SchedulingQueue } from './queue/scheduling-queue.ts';
import type { PluginName } from './refusal.ts';
import type { PodClaims } from './storage/pod-claims.ts';
import { StoredStorage } from './storage/storage-reader.ts';
import { VolumeBinder } from './storage/volume-binder.ts';

const LEASE = 'kube-scheduler';
const NEXT = 'the next pod';
/** How many writes about pods may be in flight at the same time. */
const WRITES_MAX = 32;

interface RefusedPod {
  readonly pod: PodView;
  readonly plugins: ReadonlySet<PluginName>;
}

export class Scheduler implements Controller {
  readonly #parts: ServerParts;
  readonly #cluster = new Cluster();
  readonly #pending: SchedulingQueue;
  readonly #queue: WorkQueue;
  readonly #writer: PodWriter;
  readonly #binder: VolumeBinder;
  readonly #preemption: PreemptionExecutor;
  readonly #feed: ClusterFeed;
  readonly #deps: PlacementDeps;
  /** Unschedulable pods that wait for a change, by key. */
  readonly #refused = new Map<string, RefusedPod>();
  /** The write in flight for each pod, by key. */
  readonly #writes = new Map<string, Promise<void>>();
  /** Pods whose volumes are being bound, which may take minutes. */
  readonly #slow = new Set<string>();
  #lease: ControllerLease | null = null;
  #isLeading = false;

  /** `localNode`: see StoredStorage. */
  constructor(parts: ServerParts, localNode?: string) {
    this.#parts = parts;
    const { store, clock, random, log } = parts;
    const storage = new StoredStorage(store, localNode);
    this.#pending = new SchedulingQueue(clock);
    this.#writer = new PodWriter(parts);
    this.#binder = new VolumeBinder(parts, storage);
    this.#preemption = new PreemptionExecutor(this.#cluster, this.#writer, log);
    this.#deps = {
      cluster: this.#cluster,
      storage,
      promises: this.#binder.promises,
      budgets: () => this.#budgets(),
      defaultSelector: (pod) => findDefaultSelector(store, pod),
      chance: () => random.next(),
      start: { index: 0 },
    };
    const work = (): Promise<void> => this.#tryNext();
    this.#queue = new WorkQueue({ clock, random, log, name: 'scheduler', work, workersMax: 1 });
    this.#feed = new ClusterFeed(parts, this.#cluster, {
      pending: (key, pod) => this.#add(key, pod),
      settled: (key) => this.#forget(key),
      changed: (change) => this.#wake(change),
    });
  }

  async stop(): Promise<void> {
    this.#isLeading = false;
    this.#feed.stop();
    this.#writer.stop();
    this.#binder.stop();
    await this.#queue.stop();
    await Promise.all([...this.#writes.values(), this.#preemption.settled()]);
    await this.#lease?.stop();
  }

  #add(key: string, pod: JsonObject): void {
    this.#refused.delete(key);
    this.#pending.add(key, numberAt(pod, 'spec.priority'));
    this.#lease ??= new ControllerLease(
      this.#parts,
      { held: () => this.#lead(true), lost: () => this.#lead(false) },
      { name: LEASE, isOptimistic: true },
    );
    this.#queue.add(NEXT);
  }

  #lead(isLeading: boolean): void {
    this.#isLeading = isLeading;
    if (isLeading) this.#queue.add(NEXT);
  }

  #forget(key: string): void {
    this.#pending.delete(key);
    this.#refused.delete(key);
  }

  #wake(change: ClusterChange): void {
    const isAny = this.#pending.wake((key) => {
      const refused = this.#refused.get(key);
      if (!refused) return true;
      const { pod, plugins } = refused;
      return couldHelp(pod, plugins, change, (name) => this.#cluster.namespaceLabels(name));
    });
    if (isAny) this.#queue.add(NEXT);
  }

  async #tryNext(): Promise<void> {
    if (!this.#isLeading) return;
    const key = this.#pending.next();
    if (key === undefined) {
      const { restMs } = this.#pending;
      if (restMs !== undefined) this.#queue.addAfter(NEXT, restMs);
      return;
    }
    this.#queue.add(NEXT);
    const object = this.#parts.store.get(key)?.value;
    if (!object || !isPending(object)) return;
    const busy = this.#writes.get(key) ?? this.#preemption.of(key);
    if (busy) void busy.then(() => this.#again(key));
    else await this.#tryPod(key, object);
  }

  async #tryPod(key: string, object: JsonObject): Promise<void> {
    try {
      await this.#decide(viewPod(key, object));
    } catch (error) {
      this.#parts.log.warn('Error scheduling pod; retrying', { key, error });
      this.#putBack(key);
    }
  }

  /** The pod's turn came while a write about it was still in flight. */
  #again(key: string): void {
    const object = this.#parts.store.get(key)?.value;
    if (object && isPending(object)) this.#add(key, object);
  }

  /** Resolves when another write may start, not when this one is done. */
  async #decide(pod: PodView): Promise<void> {
    const placement = placePod(pod, this.#deps);
    if (placement.type === 'fits') this.#assign(pod, placement.node, placement.claims);
    else this.#refuse(pod, placement);
    if (this.#writes.size - this.#slow.size >= WRITES_MAX) {
      await Promise.race(this.#writes.values());
    }
  }

  #assign(pod: PodView, node: NodeView, claims: PodClaims): void {
    this.#refused.delete(pod.key);
    const bindVolumes = this.#binder.prepare(claims, node);
    this.#cluster.nominations.delete(pod.key);
    const assumed = { ...pod, nodeName: node.name };
    this.#cluster.putPod(assumed);
    this.#wake({ kind: 'pod', before: null, after: assumed });
    if (bindVolumes) this.#slow.add(pod.key);
    this.#write(pod, async () => {
      if (bindVolumes) await this.#bindVolumes(pod, bindVolumes);
      if (this.#isLeading) await this.#writer.bind(pod, node.name);
      else this.#putBack(pod.key);
    });
  }

  async #bindVolumes(pod: PodView, bindVolumes: () => Promise<void>): Promise<void> {
    try {
      await bindVolumes();
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const message = `running PreBind plugin "VolumeBinding": ${why}`;
      const reason = 'SchedulerError';
      if (this.#isLeading) await this.#writer.refuse(pod, { reason, message, nominatedNode: '' });
      throw error;
    }
  }

  #refuse(pod: PodView, placement: Extract<Placement, { type: 'unschedulable' }>): void {
    const { message, plugins, preemption, clearsNomination } = placement;
    this.#refused.set(pod.key, { pod, plugins });
    this.#pending.refused(pod.key);
    const nominatedNode = preemption?.node ?? (clearsNomination ? '' : null);
    if (nominatedNode !== null) this.#cluster.nominations.set(pod, nominatedNode);
    if (preemption) this.#preemption.start(pod, preemption, () => this.#fail(pod.key));
    const refusal = { reason: 'Unschedulable', message, nominatedNode } as const;
    this.#write(pod, () => this.#writer.refuse(pod, refusal));
  }

  #write({ key }: PodView, act: () => Promise<void>): void {
    const written = act()
      .catch((error: unknown) => {
        if (isMissing(error)) {
          this.#unassign(key);
          return;
        }
        this.#parts.log.warn('Error scheduling pod; retrying', { key, error });
        this.#putBack(key);
      })
      .then(() => {
        this.#writes.delete(key);
        this.#slow.delete(key);
      });
    this.#writes.set(key, written);
  }

  #fail(key: string): void {
    this.#refused.delete(key);
    this.#pending.failed(key);
    this.#queue.add(NEXT);
  }

  /** The pod was taken from the queue but neither bound nor refused: it is retried after its back-off. */
  #putBack(key: string): void {
    this.#fail(key);
    this.#unassign(key);
  }

  /** Removes the load of a decision whose binding failed. */
  #unassign(key: string): void {
    const object = this.#parts.store.get(key)?.value;
    const before = this.#cluster.pod(key) ?? null;
    if (!before || (object && isOnNode(object))) return;
    this.#cluster.deletePod(key);
    this.#wake({ kind: 'pod', before, after: null });
  }

  #budgets(): readonly DisruptionBudget[] {
    const prefix = prefixOf(podDisruptionBudgets, '');
    return this.#parts.store.list(prefix).objects.flatMap(({ value }) => readBudget(value) ?? []);
  }
}

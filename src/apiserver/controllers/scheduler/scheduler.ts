/**
 * Gives every pod that waits for it a node: the scheduler for those who bring none of their own.
 *
 *     pods, nodes, claims ──followed──> cluster and line ──> placement ──> bound, or told why not
 *
 * Nodes are chosen for one pod at a time, so that each sees the load of all before it. A choice counts
 * from the moment it is made; writing it down goes on beside the next choices, for the disk would
 * otherwise set the pace. Nothing is tried while nothing changes: what was refused waits until a node,
 * another pod or a claim could have made a difference.
 */
import { jsonEqual } from '../../../api/json-equal.ts';
import { formatTime } from '../../../api/time.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import type { StoreEvent } from '../../../ports/object-store.ts';
import { MASTER } from '../../access.ts';
import { bindPod } from '../../actions/binding.ts';
import { withCondition } from '../../actions/pod-condition.ts';
import { numberAt, objectsAt, structAt, textAt } from '../../kinds/field-path.ts';
import { namespaces } from '../../kinds/namespace.ts';
import { nodes } from '../../kinds/node.ts';
import { persistentVolumeClaims } from '../../kinds/persistent-volume-claim.ts';
import { pods } from '../../kinds/pods.ts';
import { metadataOf, nameOf, textOf } from '../../metadata.ts';
import { prefixOf } from '../../registry.ts';
import type { ServerParts } from '../../server-parts.ts';
import type { Controller } from '../controller.ts';
import { isMissing } from '../deletion-request.ts';
import { EventRecorder } from '../event-recorder.ts';
import { follow } from '../object-feed.ts';
import { readKey } from '../object-key.ts';
import { WorkQueue } from '../work-queue.ts';
import { Cluster, viewNode } from './cluster.ts';
import { placePod } from './placement.ts';
import { viewPod } from './pod-view.ts';
import type { Hope } from './refusal.ts';
import { volumeObstacle } from './volume-obstacle.ts';
import { WaitingLine } from './waiting-line.ts';

const NAME = 'default-scheduler';
const NEXT = 'the next pod';
const NOTE_BYTES_MAX = 1024;
const NOTHING: ReadonlySet<Hope> = new Set();
/** Choices that are being written down at once. */
const BINDINGS_MAX = 32;

export class Scheduler implements Controller {
  readonly #parts: ServerParts;
  readonly #cluster = new Cluster();
  readonly #line: WaitingLine;
  readonly #queue: WorkQueue;
  readonly #events: EventRecorder;
  readonly #leave: readonly (() => void)[];
  /** By the pod's key. */
  readonly #bindings = new Map<string, Promise<void>>();

  constructor(parts: ServerParts) {
    this.#parts = parts;
    const { store, clock, random, log } = parts;
    this.#line = new WaitingLine(clock);
    this.#events = new EventRecorder(parts, NAME);
    const work = (): Promise<void> => this.#tryNext();
    this.#queue = new WorkQueue({ clock, random, log, name: 'scheduler', work, workersMax: 1 });
    this.#leave = [
      follow(store, prefixOf(namespaces, ''), (event) => this.#seeNamespace(event)),
      follow(store, prefixOf(nodes, ''), (event) => this.#seeNode(event)),
      follow(store, prefixOf(pods, ''), (event) => this.#seePod(event)),
      store.watch(prefixOf(persistentVolumeClaims, ''), store.revision, () =>
        this.#wake('volumes'),
      ),
    ];
  }

  async stop(): Promise<void> {
    for (const leave of this.#leave) leave();
    await this.#queue.stop();
    await Promise.all(this.#bindings.values());
  }

  #seeNamespace({ type, key, value, before }: StoreEvent): void {
    if (type === 'delete') {
      this.#cluster.deleteNamespace(readKey(key).name);
      return;
    }
    this.#cluster.putNamespace(value);
    if (before && differsIn('labels', value, before)) this.#wake('pods');
  }

  #seeNode({ type, key, value, before }: StoreEvent): void {
    if (type === 'delete') {
      this.#cluster.deleteNode(readKey(key).name);
      return;
    }
    this.#cluster.putNode(value);
    if (!before || !isSameNode(value, before)) this.#wake('nodes');
  }

  #seePod({ type, key, value, before }: StoreEvent): void {
    if (type === 'put' && before && isSamePod(value, before)) return;
    if (type === 'put' && isWaiting(value)) {
      // What changed about it may help; its status, which the scheduler writes itself, does not.
      if (!before || !isWaiting(before) || differsInSubstance(value, before)) {
        this.#line.add(key, numberAt(value, 'spec.priority'));
        this.#queue.add(NEXT);
      }
      return;
    }
    this.#line.delete(key);
    if (type === 'put' && isOnNode(value)) this.#cluster.putPod(viewPod(key, value));
    else this.#cluster.deletePod(key);
    if (type === 'delete' || !before || differsForOthers(value, before)) this.#wake('pods');
  }

  #wake(change: Hope): void {
    if (this.#line.wake(change)) this.#queue.add(NEXT);
  }

  async #tryNext(): Promise<void> {
    const key = this.#line.next();
    if (key === undefined) {
      const { restMs } = this.#line;
      if (restMs !== undefined) this.#queue.addAfter(NEXT, restMs);
      return;
    }
    this.#queue.add(NEXT);
    const object = this.#parts.store.get(key)?.value;
    if (!object || !isWaiting(object) || this.#bindings.has(key)) return;
    const obstacle = volumeObstacle(this.#parts.store, object);
    const placement = placePod(viewPod(key, object), this.#cluster, obstacle);
    if (placement.type === 'unschedulable') this.#line.rest(key, placement.hopes);
    if (placement.type === 'fits') await this.#bindSoon(key, object, placement.node);
    else await this.#attempt(key, () => this.#refuse(object, placement.message));
  }

  /** Returns when there is room for another binding, and not when this one is made. */
  async #bindSoon(key: string, pod: JsonObject, node: string): Promise<void> {
    this.#cluster.putPod({ ...viewPod(key, pod), nodeName: node });
    this.#line.rest(key, NOTHING);
    const binding = this.#attempt(key, () => this.#bind(pod, node));
    this.#bindings.set(key, binding);
    void binding.then(() => this.#bindings.delete(key));
    if (this.#bindings.size >= BINDINGS_MAX) await Promise.race(this.#bindings.values());
  }

  async #attempt(key: string, act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      this.#recall(key);
      if (isMissing(error)) return;
      this.#parts.log.warn('a pod could not be given a node', { key, error });
      this.#line.failed(key);
      this.#queue.add(NEXT);
    }
  }

  /** A choice that was not written down leaves no load behind. */
  #recall(key: string): void {
    const object = this.#parts.store.get(key)?.value;
    if (object && isOnNode(object)) return;
    this.#cluster.deletePod(key);
    this.#wake('pods');
  }

  async #bind(pod: JsonObject, node: string): Promise<void> {
    const { registry, clock } = this.#parts;
    const { namespace, name, uid } = identityOf(pod);
    const body = {
      metadata: { namespace, name, uid },
      target: { kind: 'Node', name: node },
    };
    const request = { definition: pods, namespace, name, body, user: MASTER, dryRun: false };
    await bindPod(registry, clock, request);
    const message = `Successfully assigned ${namespace}/${name} to ${node}`;
    const told = { type: 'Normal', reason: 'Scheduled', action: 'Binding', message } as const;
    // Whoever waits to be scheduled does not wait for words about it.
    void this.#events.report(pod, told);
  }

  async #refuse(pod: JsonObject, message: string): Promise<void> {
    const { registry, clock } = this.#parts;
    const { namespace, name, uid } = identityOf(pod);
    const note = shorten(message);
    const told = { type: 'Warning', reason: 'FailedScheduling', action: 'Scheduling' } as const;
    await this.#events.report(pod, { ...told, message: note });
    await registry.update({
      definition: pods,
      namespace,
      name,
      subresource: 'status',
      change: (old) => {
        if (metadataOf(old)['uid'] !== uid || !isWaiting(old)) return old;
        const condition = {
          type: 'PodScheduled',
          status: 'False' as const,
          reason: 'Unschedulable',
          message,
          ...observed(old),
        };
        return withCondition(old, condition, formatTime(clock.now()));
      },
    });
  }
}

/** It has no node, wants ours, and nothing holds it back. */
function isWaiting(pod: JsonObject): boolean {
  return (
    textAt(pod, 'spec.nodeName') === '' &&
    textAt(pod, 'spec.schedulerName') === NAME &&
    objectsAt(pod, 'spec.schedulingGates').length === 0 &&
    metadataOf(pod)['deletionTimestamp'] === undefined &&
    !isOver(pod)
  );
}

/** Whatever is over uses nothing any more. */
function isOnNode(pod: JsonObject): boolean {
  return textAt(pod, 'spec.nodeName') !== '' && !isOver(pod);
}

function isOver(pod: JsonObject): boolean {
  return ['Succeeded', 'Failed'].includes(textAt(pod, 'status.phase'));
}

/** Most changes are of a status, and of no interest but for the end. */
function isSamePod(pod: JsonObject, before: JsonObject): boolean {
  const [now, then] = [metadataOf(pod), metadataOf(before)];
  return (
    pod['spec'] === before['spec'] &&
    now['labels'] === then['labels'] &&
    now['deletionTimestamp'] === then['deletionTimestamp'] &&
    isOver(pod) === isOver(before)
  );
}

/** Did it come to a node, leave it, or change what others are asked about it? */
function differsForOthers(pod: JsonObject, before: JsonObject): boolean {
  return (
    isOnNode(pod) !== isOnNode(before) ||
    metadataOf(pod)['deletionTimestamp'] !== metadataOf(before)['deletionTimestamp'] ||
    differsInSubstance(pod, before)
  );
}

function differsInSubstance(pod: JsonObject, before: JsonObject): boolean {
  return pod['spec'] !== before['spec'] &&
    !jsonEqual(structAt(pod, 'spec'), structAt(before, 'spec'))
    ? true
    : differsIn('labels', pod, before);
}

function differsIn(field: string, object: JsonObject, before: JsonObject): boolean {
  const [now, then] = [metadataOf(object)[field] ?? null, metadataOf(before)[field] ?? null];
  return now !== then && !jsonEqual(now, then);
}

/** Heartbeats come every few seconds, and are of no interest. */
function isSameNode(node: JsonObject, before: JsonObject): boolean {
  const shape = (object: JsonObject): Json => {
    const { labels, taints, isUnschedulable, allocatable } = viewNode(object);
    const plain = taints.map(({ key, value, effect }) => [key, value, effect]);
    const amounts = [...allocatable].map(([name, amount]) => [name, String(amount)]);
    return [labels, plain, isUnschedulable, amounts];
  };
  return jsonEqual(shape(node), shape(before));
}

function identityOf(pod: JsonObject): {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
} {
  const { namespace, uid } = metadataOf(pod);
  return { namespace: textOf(namespace), name: nameOf(pod), uid: textOf(uid) };
}

function observed(pod: JsonObject): { readonly observedGeneration?: number } {
  const { generation } = metadataOf(pod);
  return typeof generation === 'number' ? { observedGeneration: generation } : {};
}

function shorten(message: string): string {
  const suffix = ' ...';
  const bytes = Buffer.from(message);
  if (bytes.length <= NOTE_BYTES_MAX) return message;
  return `${bytes.subarray(0, NOTE_BYTES_MAX - suffix.length).toString()}${suffix}`;
}

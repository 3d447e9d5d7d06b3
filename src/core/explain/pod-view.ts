/**
 * Builds the view of a pod that the explain rules read, from the pod, its Events, its node and the kubelet's
 * records.
 */
import type { JsonObject } from '../../lib/json.ts';
import { readWaits, type CurrentWait } from './current-waits.ts';
import { readEvents, type EventView } from './event-view.ts';
import { countAt, msAt, objectAt, objectsAt, valueAt, wordAt, wordsAt } from './loose-json.ts';

/** What `podkeep explain` reads from the API for one pod. */
export interface PodInput {
  readonly namespace: string;
  readonly name: string;
  /** Null: the API has no such pod. */
  readonly pod: JsonObject | null;
  readonly events: readonly JsonObject[];
  /** The pod's node. Null: it has none, or the node could not be read. */
  readonly node: JsonObject | null;
  /** The API has no node of the name that the pod is bound to. */
  readonly isNodeMissing: boolean;
  /** All nodes, for a pod that has none. */
  readonly nodes: readonly JsonObject[];
  /** The pods of these nodes, to compute the free resources. */
  readonly nodePods: readonly JsonObject[];
  /** A PodTimeline of the node's podkeep. Null: there is none, and `notes` says why. */
  readonly timeline: JsonObject | null;
  readonly related: readonly RelatedObject[];
  readonly notes: readonly string[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** An object that the pod refers to. */
export interface RelatedObject {
  readonly kind: 'ConfigMap' | 'Secret' | 'PersistentVolumeClaim';
  readonly name: string;
  /** The volumes and containers that need it: `volume "data"`, `container "app"`. */
  readonly usedBy: readonly string[];
  readonly isOptional: boolean;
  /** Null: it does not exist. Undefined: it could not be read. */
  readonly object: JsonObject | null | undefined;
}

export interface ConditionView {
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly sinceMs: number | null;
}

export interface EndView {
  readonly reason: string;
  readonly message: string;
  readonly exitCode: number;
  readonly finishedMs: number | null;
}

export interface ContainerView {
  readonly name: string;
  readonly image: string;
  readonly role: 'init' | 'sidecar' | 'regular';
  readonly spec: JsonObject;
  readonly waiting: { readonly reason: string; readonly message: string } | null;
  readonly runningSinceMs: number | null;
  readonly isRunning: boolean;
  readonly terminated: EndView | null;
  readonly last: EndView | null;
  readonly restarts: number;
  readonly isReady: boolean;
  readonly isStarted: boolean;
}

export interface PodView {
  readonly input: PodInput;
  readonly now: number;
  readonly uid: string;
  readonly spec: JsonObject;
  readonly nodeName: string;
  readonly phase: string;
  readonly reason: string;
  readonly message: string;
  readonly createdMs: number | null;
  /** When its deletion was requested. Null: it is not being deleted. */
  readonly deletedMs: number | null;
  /** When its grace period ends. */
  readonly graceEndsMs: number | null;
  readonly finalizers: readonly string[];
  readonly conditions: ReadonlyMap<string, ConditionView>;
  readonly containers: readonly ContainerView[];
  readonly events: readonly EventView[];
  /** What the kubelet waits for now, according to its decision records. */
  readonly waits: readonly CurrentWait[];
}

export function viewPod(input: PodInput): PodView {
  const { pod, timeline, now } = input;
  const graceEndsMs = msAt(pod ?? undefined, 'metadata', 'deletionTimestamp');
  const graceMs = countAt(pod ?? undefined, 'metadata', 'deletionGracePeriodSeconds') * 1000;
  const root = pod ?? {};
  const createdMs = msAt(root, 'metadata', 'creationTimestamp');
  return {
    input,
    now,
    uid: wordAt(root, 'metadata', 'uid') || wordAt(timeline ?? {}, 'pod', 'uid'),
    spec: objectAt(root, 'spec') ?? {},
    nodeName: wordAt(root, 'spec', 'nodeName'),
    phase: wordAt(root, 'status', 'phase'),
    reason: wordAt(root, 'status', 'reason'),
    message: wordAt(root, 'status', 'message'),
    createdMs,
    // A grace period beyond the year 9999 ends with it, so its length gives no start.
    deletedMs: graceEndsMs === null ? null : Math.max(graceEndsMs - graceMs, createdMs ?? 0),
    graceEndsMs,
    finalizers: wordsAt(root, 'metadata', 'finalizers'),
    conditions: readConditions(root),
    containers: readContainers(root),
    events: readEvents(input.events),
    waits: readWaits(timeline),
  };
}

export function readConditions(object: JsonObject): ReadonlyMap<string, ConditionView> {
  return new Map(
    objectsAt(object, 'status', 'conditions').map((condition) => [
      wordAt(condition, 'type'),
      {
        status: wordAt(condition, 'status'),
        reason: wordAt(condition, 'reason'),
        message: wordAt(condition, 'message'),
        sinceMs: msAt(condition, 'lastTransitionTime'),
      },
    ]),
  );
}

function readContainers(pod: JsonObject): readonly ContainerView[] {
  const init = objectsAt(pod, 'spec', 'initContainers').map((spec) => {
    const role = wordAt(spec, 'restartPolicy') === 'Always' ? 'sidecar' : 'init';
    return readContainer(pod, spec, role, 'initContainerStatuses');
  });
  const regular = objectsAt(pod, 'spec', 'containers').map((spec) =>
    readContainer(pod, spec, 'regular', 'containerStatuses'),
  );
  return [...init, ...regular];
}

function readContainer(
  pod: JsonObject,
  spec: JsonObject,
  role: ContainerView['role'],
  list: string,
): ContainerView {
  const name = wordAt(spec, 'name');
  const status = objectsAt(pod, 'status', list).find((each) => wordAt(each, 'name') === name) ?? {};
  const waiting = objectAt(status, 'state', 'waiting');
  return {
    name,
    image: wordAt(spec, 'image'),
    role,
    spec,
    waiting: waiting && { reason: wordAt(waiting, 'reason'), message: wordAt(waiting, 'message') },
    runningSinceMs: msAt(status, 'state', 'running', 'startedAt'),
    isRunning: objectAt(status, 'state', 'running') !== null,
    terminated: readEnd(objectAt(status, 'state', 'terminated')),
    last: readEnd(objectAt(status, 'lastState', 'terminated')),
    restarts: countAt(status, 'restartCount'),
    isReady: valueAt(status, 'ready') === true,
    isStarted: valueAt(status, 'started') === true,
  };
}

function readEnd(end: JsonObject | null): EndView | null {
  return (
    end && {
      reason: wordAt(end, 'reason'),
      message: wordAt(end, 'message'),
      exitCode: countAt(end, 'exitCode'),
      finishedMs: msAt(end, 'finishedAt'),
    }
  );
}

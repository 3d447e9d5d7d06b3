/**
 * Plays a recorded history of the kubelet's status manager on podkeep's, through the real driver.
 *
 * The clock stands still and the manager is not started: only the op `syncBatch` writes. After each step,
 * the writes, the manager's records and the API's objects must be those of the kubelet.
 */
import type { Pod, PodStatus } from '../../src/api/pod.ts';
import { isMirrorPod } from '../../src/core/pod/pod-facts.ts';
import { NodePodManager } from '../../src/kubelet/pod-manager/pod-manager.ts';
import { StatusManager } from '../../src/kubelet/status-manager/status-manager.ts';
import { MemoryApi } from '../support/memory-api.ts';
import {
  noProbes,
  silentDecisions,
  silentLog,
  silentStatusObserver,
} from '../support/silent-ports.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { differences, withoutEmpty, type Difference } from './differences.ts';
import { dated } from './replayer.ts';
import type { Vector } from './vector.ts';

interface Step {
  readonly op: string;
  readonly expect: {
    readonly writes?: unknown;
    readonly cacheChanged?: Readonly<Record<string, unknown>>;
    readonly apiChanged?: Readonly<Record<string, unknown>>;
  };
  readonly uid: string;
  readonly pod: Pod;
  readonly mirror?: Pod;
  readonly status: PodStatus;
  readonly containerID: string;
  readonly value: boolean;
  readonly couldHaveRunningContainers: boolean;
  readonly deletionTimestamp: string;
  readonly keep?: readonly string[];
  readonly all: boolean;
}

export async function replayStatusManagerScenario(vector: Vector): Promise<readonly Difference[]> {
  const harness = new TestHarness();
  for (const [index, raw] of (vector['steps'] as readonly unknown[]).entries()) {
    const step = dated(raw) as Step;
    const before = harness.look();
    await harness.play(step);
    const found = differences(
      withoutEmpty(withGone(step.expect)),
      withoutEmpty(harness.changesSince(before)),
    );
    if (found.length > 0) {
      return found.map(({ path, ...values }) => ({
        path: `.steps[${index}] ${step.op} ${path}`,
        ...values,
      }));
    }
  }
  return [];
}

interface Sight {
  readonly cache: Readonly<Record<string, unknown>>;
  readonly api: Readonly<Record<string, unknown>>;
  readonly writes: number;
}

class TestHarness {
  readonly #clock = new VirtualClock();
  readonly #api = new MemoryApi({ clock: this.#clock });
  readonly #pods = new NodePodManager();
  readonly #running = new Map<string, boolean>();
  /** Pods that have left the pod manager, for later steps that name them. */
  readonly #lastKnown = new Map<string, Pod>();
  readonly #manager = new StatusManager({
    clock: this.#clock,
    random: { next: () => 0 },
    api: this.#api,
    pods: this.#pods,
    probes: noProbes,
    decisions: silentDecisions,
    log: silentLog,
    observer: silentStatusObserver,
    couldHaveRunningContainers: (_pod, uid) => this.#running.get(uid) ?? false,
  });

  async play(step: Step): Promise<void> {
    const { uid } = step;
    switch (step.op) {
      case 'addPod':
        return this.#add(step);
      case 'setPodStatus':
        return void this.#manager.setPodStatus(this.#podOf(uid), step.status);
      case 'setContainerReadiness':
        return this.#manager.setContainerReadiness(uid, step.containerID, step.value);
      case 'setContainerStartup':
        return this.#manager.setContainerStartup(uid, step.containerID, step.value);
      case 'terminatePod':
        return this.#manager.terminatePod(this.#podOf(uid));
      case 'setRunning':
        return void this.#running.set(uid, step.couldHaveRunningContainers);
      case 'apiDeleteRequested':
        return this.#inApi(uid, (pod) => ({
          ...pod,
          metadata: { ...pod.metadata, deletionTimestamp: step.deletionTimestamp },
        }));
      case 'apiStatusWrittenByOther':
        return this.#inApi(uid, (pod) => ({ ...pod, status: step.status }));
      case 'watchCatchUp':
        return this.#inApi(uid, (pod) => pod);
      case 'removePod':
        return this.#pods.remove(this.#podOf(uid));
      case 'removeOrphanedStatuses':
        return this.#manager.removeOrphanedStatuses(new Set(step.keep));
      case 'syncBatch':
        return this.#manager.syncBatch(step.all);
      default:
        throw new Error(`unknown op ${step.op}`);
    }
  }

  look(): Sight {
    const cache = [...this.#manager.records].map(([uid, record]) => {
      const { version, status, isFinished } = record;
      return [uid, withoutEmpty({ version, status, podIsFinished: isFinished })];
    });
    const api = this.#api
      .pods()
      .map(({ metadata, status }) => [
        `${metadata.namespace}/${metadata.name}`,
        withoutEmpty({ uid: metadata.uid, status }),
      ]);
    return {
      cache: Object.fromEntries(cache) as Sight['cache'],
      api: Object.fromEntries(api) as Sight['api'],
      writes: this.#api.writes.length,
    };
  }

  changesSince(before: Sight): unknown {
    const after = this.look();
    const writes = this.#api.writes.slice(before.writes).map(({ verb, namespace, name }) => ({
      verb,
      namespace,
      name,
      ...(verb === 'patch' && { subresource: 'status' }),
    }));
    return {
      writes: writes.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)),
      cacheChanged: changes(before.cache, after.cache),
      apiChanged: changes(before.api, after.api),
    };
  }

  #add({ uid, pod, mirror, couldHaveRunningContainers }: Step): void {
    this.#running.set(uid, couldHaveRunningContainers);
    const isStatic = pod.metadata.annotations?.['kubernetes.io/config.source'] !== undefined;
    const inApi = isStatic ? pod : this.#api.put(pod);
    const mirrorInApi = mirror && this.#api.put(mirror);
    this.#pods.update(inApi);
    if (mirrorInApi) this.#pods.update(mirrorInApi);
    this.#lastKnown.set(uid, inApi);
    if (!isStatic) this.#manager.apiPodSeen(inApi);
    if (mirrorInApi) this.#manager.apiPodSeen(mirrorInApi);
  }

  /** Something happens to the API's object, and the pod manager sees it. */
  #inApi(apiUid: string, change: (pod: Pod) => Pod): void {
    const found = this.#api.findByUid(apiUid);
    if (!found) return;
    const changed = change(found);
    const object = changed === found ? found : this.#api.put(changed);
    const isKnown = isMirrorPod(object) || this.#pods.find(apiUid) !== undefined;
    if (isKnown) this.#pods.update(object);
    if (!isMirrorPod(object)) this.#lastKnown.set(apiUid, object);
    this.#manager.apiPodSeen(object);
  }

  #podOf(uid: string): Pod {
    const pod = this.#pods.find(uid)?.pod ?? this.#lastKnown.get(uid);
    if (!pod) throw new Error(`no pod ${uid}`);
    return pod;
  }
}

function changes(before: Sight['cache'], after: Sight['cache']): Readonly<Record<string, unknown>> {
  const changed = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (key) => differences(before[key], after[key]).length > 0,
  );
  return Object.fromEntries(changed.map((key) => [key, after[key] ?? GONE]));
}

/** A deleted object is `null` in the recording, which is ignored elsewhere; here it counts. */
const GONE = 'gone';

function withGone(expect: Step['expect']): unknown {
  const mark = (all: Readonly<Record<string, unknown>> = {}): unknown =>
    Object.fromEntries(Object.entries(all).map(([key, value]) => [key, value ?? GONE]));
  return {
    ...expect,
    cacheChanged: mark(expect.cacheChanged),
    apiChanged: mark(expect.apiChanged),
  };
}

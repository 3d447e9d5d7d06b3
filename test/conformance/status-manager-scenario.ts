/**
 * Plays a recorded history of the kubelet's status manager on podkeep's, through the real driver.
 *
 * The clock stands still and the manager is not started: only the op `syncBatch` writes. After each
 * step, what was written, what the manager remembers and what the API has must be what the kubelet
 * wrote, remembered and had.
 */
import type { Pod, PodStatus } from '../../src/api/pod.ts';
import { StatusManager } from '../../src/kubelet/status-manager/status-manager.ts';
import { MemoryApi } from '../support/memory-api.ts';
import { MemoryPodManager } from '../support/memory-pod-manager.ts';
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
  const stage = new Stage();
  for (const [index, raw] of (vector['steps'] as readonly unknown[]).entries()) {
    const step = dated(raw) as Step;
    const before = stage.look();
    await stage.play(step);
    const found = differences(
      withoutEmpty(withGone(step.expect)),
      withoutEmpty(stage.changesSince(before)),
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

class Stage {
  readonly #clock = new VirtualClock();
  readonly #api = new MemoryApi({ clock: this.#clock });
  readonly #pods = new MemoryPodManager();
  readonly #running = new Map<string, boolean>();
  /** Pods that have left the pod manager, for whoever still speaks of them. */
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
        return this.#pods.remove(uid);
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
    this.#pods.set(inApi, mirrorInApi);
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
    const uid = this.#pods.sourceUidOf(apiUid);
    const known = this.#pods.find(uid);
    if (uid !== apiUid && known) this.#pods.set(known.pod, object);
    else if (known) this.#pods.set(object);
    if (uid === apiUid) this.#lastKnown.set(uid, object);
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

/** What is gone is `null` in the recording, which elsewhere counts for nothing; here it counts. */
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

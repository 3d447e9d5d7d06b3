/**
 * Plays a recorded history of the kubelet's pod workers on podkeep's, through the real driver.
 *
 * The clock stands still and nothing ends by itself: every piece of work runs until a step ends it. After
 * each step, the workers must have done and answered exactly what the kubelet's did.
 */
import type { Pod } from '../../src/api/pod.ts';
import type { KillOptions } from '../../src/kubelet/pod-workers/update-options.ts';
import type { Summary } from '../../src/core/pod-worker/query.ts';
import { networkNotReady } from '../../src/ports/pod/sync-failure.ts';
import { only, PodWorkersHarness } from '../support/pod-workers-harness.ts';
import type { SyncCall } from '../support/scripted-pod-sync.ts';
import { promisesSettled } from '../support/virtual-clock.ts';
import { differences } from './differences.ts';
import type { Difference } from './differences.ts';
import type { Vector } from './vector.ts';

type UpdateType = 'create' | 'update' | 'sync' | 'kill';

interface KillInput {
  readonly evict: boolean;
  readonly gracePeriodOverride?: number;
  readonly statusReason?: string;
  readonly notify?: string;
}

interface UpdateStep {
  readonly op: 'update';
  readonly updateType: UpdateType;
  readonly pod: Pod;
  readonly kill?: KillInput;
  readonly runtimeRunning?: boolean;
}

type Step = { readonly expect: unknown } & (
  | UpdateStep
  | {
      readonly op: 'killRuntimePod';
      readonly runningPod: {
        readonly id: string;
        readonly name: string;
        readonly namespace: string;
      };
    }
  | { readonly op: 'finishSync'; readonly uid: string; readonly result: string }
  | { readonly op: 'syncKnownPods'; readonly desired: readonly string[] }
);

const QUERIES = [
  'couldHaveRunningContainers',
  'isPodKnownTerminated',
  'isPodTerminationRequested',
  'shouldPodBeFinished',
  'shouldPodContainersBeTerminating',
  'shouldPodContentBeRemoved',
  'shouldPodRuntimeBeRemoved',
] as const;

/** The delays of the rules, without jitter. */
const DELAYS: ReadonlyMap<number, string> = new Map([
  [0, 'now'],
  [1_000, 'transient'],
  [10_000, 'backoff'],
  [60_000, 'resync'],
]);

export async function replayPodWorkersScenario(vector: Vector): Promise<readonly Difference[]> {
  const steps = vector['steps'] as readonly Step[];
  const scenario = new Scenario();
  for (const [index, step] of steps.entries()) {
    const found = differences(step.expect, await scenario.play(step));
    // The steps after a difference start from another world, and would only add noise.
    if (found.length > 0) {
      return found.map((each) => ({ ...each, path: `.steps[${index}] (${step.op})${each.path}` }));
    }
  }
  return [];
}

class Scenario {
  readonly #harness = new PodWorkersHarness();
  readonly #pods = new Map<string, Pod>();
  readonly #uids = new Set<string>(['unknown']);
  readonly #fullNames = new Set<string>();
  #killsCompleted: string[] = [];

  /** The events of this step, and the state after it, in the format of the vectors. */
  async play(step: Step): Promise<unknown> {
    const workers = this.#perform(step);
    await promisesSettled();
    const notified = this.#harness.takeAcknowledged();
    const lists = {
      started: byUid(only(notified, 'started').map(({ call }) => call)).map(showStarted),
      canceled: byUid(only(notified, 'canceled').map(({ call }) => call)).map(({ uid }) => uid),
      enqueued: byUid(only(notified, 'wake')).map(showWake),
      killsCompleted: this.#killsCompleted,
      mirrorPodTerminating: this.#terminatingMirrors(),
    };
    this.#killsCompleted = [];
    return {
      ...Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)),
      ...(workers && { workers: Object.fromEntries(workers) }),
      trueQueries: this.#trueQueries(),
    };
  }

  #perform(step: Step): ReadonlyMap<string, Summary> | void {
    const { workers, podSync } = this.#harness;
    switch (step.op) {
      case 'update':
        return this.#update(step);
      case 'killRuntimePod': {
        const { id: uid, name, namespace } = step.runningPod;
        this.#mention(uid, name, namespace);
        return workers.updatePod({ updateType: 'kill', runningPod: { uid, name, namespace } });
      }
      case 'finishSync':
        if (step.result === 'ok') return podSync.end(step.uid);
        if (step.result === 'terminal') return podSync.end(step.uid, { terminal: true });
        return podSync.fail(step.uid, failure(step.result));
      case 'syncKnownPods':
        return workers.syncKnownPods(step.desired.map((uid) => this.#pods.get(uid) ?? bare(uid)));
      default:
        throw new Error(`unknown step ${JSON.stringify(step)}`);
    }
  }

  #update({ pod, updateType, kill, runtimeRunning }: UpdateStep): void {
    const { workers, running } = this.#harness;
    const { uid = '', name = '', namespace = '' } = pod.metadata;
    this.#mention(uid, name, namespace);
    this.#pods.set(uid, pod);
    if (runtimeRunning === true) running.add(uid);
    if (runtimeRunning === false) running.delete(uid);
    if (updateType === 'kill') workers.updatePod({ updateType, pod, kill: this.#kill(kill) });
    else workers.updatePod({ updateType, pod });
  }

  #kill(kill: KillInput | undefined): KillOptions | undefined {
    if (!kill) return undefined;
    const { evict, gracePeriodOverride, statusReason, notify } = kill;
    return {
      evict,
      graceSeconds: gracePeriodOverride,
      ...(statusReason !== undefined && { overrideStatus: () => ({ reason: statusReason }) }),
      ...(notify !== undefined && { completed: () => this.#killsCompleted.push(notify) }),
    };
  }

  #mention(uid: string, name: string, namespace: string): void {
    this.#uids.add(uid);
    this.#fullNames.add(`${name}_${namespace}`);
  }

  #terminatingMirrors(): readonly string[] {
    const { workers } = this.#harness;
    return [...this.#fullNames]
      .filter((name) => workers.isPodForMirrorPodTerminatingByFullName(name))
      .toSorted();
  }

  #trueQueries(): unknown {
    const { workers } = this.#harness;
    const answers = [...this.#uids].map(
      (uid) => [uid, QUERIES.filter((query) => workers[query](uid))] as const,
    );
    return Object.fromEntries(answers.filter(([, queries]) => queries.length > 0));
  }
}

function failure(result: string): Error {
  if (result === 'networkNotReady') return networkNotReady({ reason: 'as recorded' });
  if (result === 'canceled') return new DOMException('as recorded', 'AbortError');
  return new Error(`recorded result: ${result}`);
}

function showStarted({ graceSeconds, ...call }: SyncCall): unknown {
  return graceSeconds === undefined ? call : { ...call, gracePeriod: graceSeconds };
}

function showWake({ uid, delayMs }: { readonly uid: string; readonly delayMs: number }): unknown {
  return { uid, delay: DELAYS.get(delayMs) ?? delayMs };
}

function byUid<Item extends { readonly uid: string }>(items: readonly Item[]): readonly Item[] {
  return items.toSorted((a, b) => (a.uid < b.uid ? -1 : Number(a.uid > b.uid)));
}

/** A desired pod of which only the UID is known. */
function bare(uid: string): Pod {
  return { metadata: { uid }, spec: { containers: [] } };
}

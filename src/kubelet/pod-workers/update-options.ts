/**
 * Converts the updates that callers pass to the pod workers into events of the state machine.
 *
 * The types exclude two meaningless requests: to do anything but kill a pod that only the runtime knows
 * (PW-10), and to pass such a pod together with a spec (PW-11). If an untyped caller does that, the first is
 * ignored, and in the second the spec counts.
 */
import type { Pod } from '../../api/pod.ts';
import type { Kill, KillId, UpdateEvent } from '../../core/pod-worker/event.ts';
import { defineError } from '../../lib/errors.ts';
import type { PodReference } from '../../api/pod-reference.ts';
import type { StatusOverride } from '../../ports/pod/pod-sync.ts';

export type UpdatePodOptions = WorkerUpdate | PodKill | RuntimePodKill;

export interface WorkerUpdate {
  readonly updateType: 'create' | 'update' | 'sync';
  readonly pod: Pod;
  readonly mirrorPod?: Pod | undefined;
  /** When the cause of this update was first seen: a reading of the clock's `monotonic`. */
  readonly startedAtMs?: number | undefined;
}

export interface PodKill extends Omit<WorkerUpdate, 'updateType'> {
  readonly updateType: 'kill';
  readonly kill?: KillOptions | undefined;
}

export interface RuntimePodKill {
  readonly updateType: 'kill';
  readonly runningPod: PodReference;
  readonly kill?: KillOptions | undefined;
  readonly startedAtMs?: number | undefined;
}

export interface KillOptions {
  readonly evict?: boolean | undefined;
  readonly graceSeconds?: number | undefined;
  readonly overrideStatus?: StatusOverride | undefined;
  /** Called once, when no container of the pod runs any more. */
  readonly completed?: (() => void) | undefined;
}

export const podWithoutUid = defineError<{ name: string }>({
  code: 'POD_WITHOUT_UID',
  retry: 'never',
  message: ({ name }) => `pod ${name} has no metadata.uid`,
  hint: () => 'The API server sets the UID of its pods; the source of a static pod must set it.',
});

export function referenceOf({ metadata }: Pod): PodReference {
  const { uid = '', name = '', namespace = '' } = metadata;
  if (uid === '') throw podWithoutUid({ name: `${namespace}/${name}` });
  return { uid, name, namespace };
}

/** The name by which static pods take turns, and by which a mirror pod finds its static pod. */
export function workerFullNameOf({ name, namespace }: PodReference): string {
  return `${name}_${namespace}`;
}

export function killFrom(id: KillId, options: KillOptions | undefined): Kill {
  return {
    id,
    evict: options?.evict ?? false,
    graceSeconds: options?.graceSeconds ?? null,
    overridesStatus: options?.overrideStatus !== undefined,
  };
}

/** The facts that are needed to build an event, and that only the driver knows. */
export interface UpdateFacts {
  readonly pod: (pod: Pod) => Pod;
  readonly mayRun: (uid: string) => boolean;
  readonly kill: (options: KillOptions | undefined) => Kill;
}

/** Null: the request is ignored (PW-10). */
export function updateEventFrom(
  options: UpdatePodOptions,
  facts: UpdateFacts,
): { readonly about: PodReference; readonly event: UpdateEvent } | null {
  const startedAtMs = options.startedAtMs ?? null;
  if ('pod' in options) {
    const about = referenceOf(options.pod);
    const common = {
      pod: facts.pod(options.pod),
      mirrorPod: options.mirrorPod ?? null,
      startedAtMs,
      mayRun: facts.mayRun(about.uid),
    };
    const { updateType } = options;
    if (updateType !== 'kill') return { about, event: { type: 'updated', updateType, ...common } };
    return { about, event: { type: 'killed', kill: facts.kill(options.kill), ...common } };
  }
  const { runningPod, updateType } = options;
  if (updateType !== 'kill') return null;
  const kill = facts.kill(options.kill);
  return { about: runningPod, event: { type: 'killedInRuntime', runningPod, kill, startedAtMs } };
}

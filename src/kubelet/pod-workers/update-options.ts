/**
 * What callers tell the pod workers, checked at the border and put into the machine's words.
 *
 * The types leave no room for the two requests that make no sense: a pod known only to the runtime can
 * be killed and nothing else (PW-10), and if a spec is given, the runtime's view does not count
 * (PW-11). Callers without types get the same treatment.
 */
import type { Pod } from '../../api/pod.ts';
import type { Kill, KillId, News } from '../../core/pod-worker/event.ts';
import { defineError } from '../../lib/errors.ts';
import type { PodReference } from '../../ports/pod-reference.ts';
import type { StatusOverride } from '../../ports/pod-sync.ts';

export type UpdatePodOptions = PodUpdate | PodKill | RuntimePodKill;

export interface PodUpdate {
  readonly updateType: 'create' | 'update' | 'sync';
  readonly pod: Pod;
  readonly mirrorPod?: Pod | undefined;
  /** When the cause of this update was first seen: a reading of the clock's `monotonic`. */
  readonly startedAtMs?: number | undefined;
}

export interface PodKill extends Omit<PodUpdate, 'updateType'> {
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
  hint: () => 'The API sets it for its own pods; for a static pod the source that read it must.',
});

export function referenceOf({ metadata }: Pod): PodReference {
  const { uid = '', name = '', namespace = '' } = metadata;
  if (uid === '') throw podWithoutUid({ name: `${namespace}/${name}` });
  return { uid, name, namespace };
}

/** The name under which static pods take turns, and by which a mirror pod finds its static pod. */
export function fullNameOf({ name, namespace }: PodReference): string {
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

/** The options in the words of the machine, with the facts that only the driver can know. */
export interface NewsFacts {
  readonly pod: (pod: Pod) => Pod;
  readonly mayRun: (uid: string) => boolean;
  readonly kill: (options: KillOptions | undefined) => Kill;
}

/** Null if the request is to be ignored (PW-10). */
export function newsFrom(
  options: UpdatePodOptions,
  facts: NewsFacts,
): { readonly about: PodReference; readonly news: News } | null {
  const startedAtMs = options.startedAtMs ?? null;
  if ('pod' in options) {
    const about = referenceOf(options.pod);
    const told = {
      pod: facts.pod(options.pod),
      mirrorPod: options.mirrorPod ?? null,
      startedAtMs,
      mayRun: facts.mayRun(about.uid),
    };
    const { updateType } = options;
    if (updateType !== 'kill') return { about, news: { type: 'updated', updateType, ...told } };
    return { about, news: { type: 'killed', kill: facts.kill(options.kill), ...told } };
  }
  const { runningPod, updateType } = options;
  if (updateType !== 'kill') return null;
  const kill = facts.kill(options.kill);
  return { about: runningPod, news: { type: 'killedInRuntime', runningPod, kill, startedAtMs } };
}

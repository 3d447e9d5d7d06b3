/**
 * Merges the pods of all sources into updates for the sync loop (KL-57).
 *
 * A source reports all of its pods (`set`), or a single pod that changed (`put`) or was removed (`remove`).
 * Each call notifies the kubelet in the order REMOVE, ADD, UPDATE, DELETE, RECONCILE, so that a name is free
 * before another pod takes it. If the first report of a source has no pods, it becomes an empty ADD, which
 * marks the source as ready: until all sources are ready, the kubelet does not kill unknown pods.
 *
 * Two pods of one source with the same full name cannot both run: the first one counts, and the other is
 * ignored with an Event.
 */
import type { Pod } from '../../api/pod.ts';
import { assert } from '../../lib/assert.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EventRecorder } from '../../ports/observe/event-recorder.ts';
import type { Log } from '../../ports/log.ts';
import { fullNameOf } from '../pod-manager/pod-manager.ts';
import { changePod, receivePod } from './pod-change.ts';
import type { PodOperation, PodUpdate, SourceName } from './pod-update.ts';

export interface PodConfigOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly events: EventRecorder;
  /** All sources that will report. */
  readonly sources: readonly SourceName[];
  /** Called with the updates, one after the other. */
  readonly notify: (update: PodUpdate) => void;
}

const ORDER = ['REMOVE', 'ADD', 'UPDATE', 'DELETE', 'RECONCILE'] as const;

type PodsByUid = Map<string, Pod>;
type UpdatesByOperation = Map<PodOperation, Pod[]>;

export class PodConfig {
  readonly #options: PodConfigOptions;
  readonly #pods = new Map<SourceName, PodsByUid>();

  constructor(options: PodConfigOptions) {
    this.#options = options;
  }

  /** Every source has reported, and the kubelet was notified. */
  get hasSeenAll(): boolean {
    return this.#options.sources.every((source) => this.#pods.has(source));
  }

  hasSeen(source: SourceName): boolean {
    return this.#pods.has(source);
  }

  /** These pods are all that the source has. */
  set(source: SourceName, pods: readonly Pod[]): void {
    const before = this.#pods.get(source);
    const updates: UpdatesByOperation = new Map();
    const next = new Map<string, Pod>();
    for (const pod of this.#withoutDuplicates(pods, source)) {
      next.set(uidOf(pod), this.#merge(before?.get(uidOf(pod)), pod, source, updates));
    }
    for (const [uid, pod] of before ?? []) {
      if (!next.has(uid)) note(updates, 'REMOVE', pod);
    }
    this.#pods.set(source, next);
    // Without pods, only an empty ADD shows that the source has reported.
    if (!before && next.size === 0) note(updates, 'ADD');
    this.#notify(source, updates);
  }

  /** A pod of a source that has reported is new, or has changed. */
  put(source: SourceName, pod: Pod): void {
    const pods = this.#podsOf(source);
    const updates: UpdatesByOperation = new Map();
    pods.set(uidOf(pod), this.#merge(pods.get(uidOf(pod)), pod, source, updates));
    this.#notify(source, updates);
  }

  /** A pod of a source that has reported is gone. */
  remove(source: SourceName, uid: string): void {
    const pods = this.#podsOf(source);
    const pod = pods.get(uid);
    if (pod && pods.delete(uid)) this.#notify(source, new Map([['REMOVE', [pod]]]));
  }

  #podsOf(source: SourceName): PodsByUid {
    const pods = this.#pods.get(source);
    assert(pods !== undefined, `${source} sent a single pod before its first full list`);
    return pods;
  }

  #merge(before: Pod | undefined, pod: Pod, source: SourceName, updates: UpdatesByOperation): Pod {
    if (!before) {
      const received = receivePod(pod, source, printTime(this.#options.clock.now()));
      note(updates, 'ADD', received);
      return received;
    }
    const change = changePod(before, pod);
    if (change.operation) note(updates, change.operation, change.pod);
    return change.pod;
  }

  #withoutDuplicates(pods: readonly Pod[], source: SourceName): readonly Pod[] {
    const names = new Set<string>();
    return pods.filter((pod) => {
      const fullName = fullNameOf(pod);
      if (!names.has(fullName)) return names.add(fullName);
      this.#refuse(pod, source);
      return false;
    });
  }

  #refuse(pod: Pod, source: SourceName): void {
    const { log, events } = this.#options;
    const { name = '', namespace = '', uid = '' } = pod.metadata;
    const message =
      `Error validating pod ${name}_${namespace}(${uid}) from ${source} ` +
      `due to duplicate pod name ${JSON.stringify(name)}, ignoring`;
    log.warn('Pod failed validation due to duplicate pod name, ignoring', {
      pod: { name, namespace, uid },
      source,
    });
    events.record({ uid, name, namespace }, 'Warning', 'FailedValidation', message);
  }

  #notify(source: SourceName, updates: UpdatesByOperation): void {
    for (const operation of ORDER) {
      const pods = updates.get(operation);
      if (pods) this.#options.notify({ operation, source, pods });
    }
  }
}

function note(updates: UpdatesByOperation, operation: PodOperation, ...more: readonly Pod[]): void {
  const pods = updates.get(operation);
  if (pods) pods.push(...more);
  else updates.set(operation, [...more]);
}

/** With as many fractional digits of a second as needed, as the kubelet writes it. */
function printTime(ms: number): string {
  return new Date(ms).toISOString().replace(/\.?0+Z$/, 'Z');
}

function uidOf({ metadata }: Pod): string {
  return metadata.uid ?? '';
}

/**
 * Merges what sources say about pods into news for the kubelet (KL-57).
 *
 * A source either says everything it has (`set`) or that one pod changed or went; both come to the
 * same. For each call the news are told in the order REMOVE, ADD, UPDATE, DELETE, RECONCILE, so that a
 * name is free before another pod takes it. A source that speaks for the first time and has nothing is
 * told as an empty ADD: before all sources have spoken, nothing may be killed for being unknown.
 *
 * Two pods of one source with the same full name cannot both run: the first one counts, the other is
 * ignored with an event.
 */
import type { Pod } from '../../api/pod.ts';
import { assert } from '../../lib/assert.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EventRecorder } from '../../ports/event-recorder.ts';
import type { Log } from '../../ports/log.ts';
import { fullNameOf } from '../pod-manager/pod-manager.ts';
import { changePod, receivePod } from './pod-change.ts';
import type { PodOperation, PodUpdate, SourceName } from './pod-update.ts';

export interface PodConfigOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly events: EventRecorder;
  /** All that will speak. */
  readonly sources: readonly SourceName[];
  /** Hears of the news, one after the other. */
  readonly tell: (update: PodUpdate) => void;
}

const ORDER = ['REMOVE', 'ADD', 'UPDATE', 'DELETE', 'RECONCILE'] as const;

type PodsByUid = Map<string, Pod>;
type News = Map<PodOperation, Pod[]>;

export class PodConfig {
  readonly #options: PodConfigOptions;
  readonly #pods = new Map<SourceName, PodsByUid>();

  constructor(options: PodConfigOptions) {
    this.#options = options;
  }

  /** Every source has spoken, and the kubelet was told. */
  get hasSeenAll(): boolean {
    return this.#options.sources.every((source) => this.#pods.has(source));
  }

  hasSeen(source: SourceName): boolean {
    return this.#pods.has(source);
  }

  /** These pods are all that the source has. */
  set(source: SourceName, pods: readonly Pod[]): void {
    const before = this.#pods.get(source);
    const news: News = new Map();
    const next = new Map<string, Pod>();
    for (const pod of this.#withoutDuplicates(pods, source)) {
      next.set(uidOf(pod), this.#merge(before?.get(uidOf(pod)), pod, source, news));
    }
    for (const [uid, pod] of before ?? []) {
      if (!next.has(uid)) note(news, 'REMOVE', pod);
    }
    this.#pods.set(source, next);
    // Nobody else says that the source has spoken, if it has nothing to say.
    if (!before && next.size === 0) note(news, 'ADD');
    this.#tell(source, news);
  }

  /** One pod of a source that has spoken is new, or has changed. */
  put(source: SourceName, pod: Pod): void {
    const pods = this.#podsOf(source);
    const news: News = new Map();
    pods.set(uidOf(pod), this.#merge(pods.get(uidOf(pod)), pod, source, news));
    this.#tell(source, news);
  }

  /** One pod of a source that has spoken is gone. */
  remove(source: SourceName, uid: string): void {
    const pods = this.#podsOf(source);
    const pod = pods.get(uid);
    if (pod && pods.delete(uid)) this.#tell(source, new Map([['REMOVE', [pod]]]));
  }

  #podsOf(source: SourceName): PodsByUid {
    const pods = this.#pods.get(source);
    assert(pods !== undefined, `${source} tells of one pod before it has told of all`);
    return pods;
  }

  #merge(before: Pod | undefined, pod: Pod, source: SourceName, news: News): Pod {
    if (!before) {
      const received = receivePod(pod, source, printTime(this.#options.clock.now()));
      note(news, 'ADD', received);
      return received;
    }
    const change = changePod(before, pod);
    if (change.operation) note(news, change.operation, change.pod);
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
    log.warn('Two pods of one source have the same name; the second is ignored', {
      pod: { name, namespace, uid },
      source,
    });
    events.record({ uid, name, namespace }, 'Warning', 'FailedValidation', message);
  }

  #tell(source: SourceName, news: News): void {
    for (const operation of ORDER) {
      const pods = news.get(operation);
      if (pods) this.#options.tell({ operation, source, pods });
    }
  }
}

function note(news: News, operation: PodOperation, ...more: readonly Pod[]): void {
  const pods = news.get(operation);
  if (pods) pods.push(...more);
  else news.set(operation, [...more]);
}

/** With as many digits of a second as there are, as the kubelet writes it. */
function printTime(ms: number): string {
  return new Date(ms).toISOString().replace(/\.?0+Z$/, 'Z');
}

function uidOf({ metadata }: Pod): string {
  return metadata.uid ?? '';
}

/**
 * Tells subscribers of every stored status, in the order in which they were stored (SM-90).
 *
 * A subscriber may store another status while it is told of one; the others still hear of both in
 * order. One that fails is reported and harms nobody.
 */
import type { Pod } from '../../api/pod.ts';
import type { StatusRecord } from '../../core/status-record.ts';
import type { Log } from '../../ports/log.ts';
import type { StatusSubscriber } from '../../ports/status-subscriber.ts';

interface News {
  readonly pod: Pod;
  readonly record: StatusRecord;
  readonly isAdded: boolean;
}

export class StatusNews {
  readonly #log: Log;
  readonly #subscribers = new Set<StatusSubscriber>();
  readonly #waiting: News[] = [];
  #isTelling = false;

  constructor(log: Log) {
    this.#log = log;
  }

  subscribe(subscriber: StatusSubscriber): () => void {
    this.#subscribers.add(subscriber);
    return () => void this.#subscribers.delete(subscriber);
  }

  tell(pod: Pod, record: StatusRecord, isAdded: boolean): void {
    this.#waiting.push({ pod: { ...pod, status: record.status }, record, isAdded });
    if (this.#isTelling) return;
    this.#isTelling = true;
    for (let news = this.#waiting.shift(); news; news = this.#waiting.shift()) {
      for (const subscriber of this.#subscribers) this.#tellOne(subscriber, news);
    }
    this.#isTelling = false;
  }

  #tellOne(subscriber: StatusSubscriber, { pod, record, isAdded }: News): void {
    try {
      if (record.isFinished) subscriber.podRemoved(pod);
      else subscriber.podUpdated(pod, record.status, isAdded);
    } catch (error) {
      this.#log.error('A subscriber of statuses failed', { error });
    }
  }
}

/**
 * Notifies subscribers of every stored status, in the order in which they were stored (SM-90).
 *
 * A subscriber may store another status while it is being notified; the other subscribers still get both in
 * order. An error of a subscriber is logged and does not affect the others.
 */
import type { Pod } from '../../api/pod.ts';
import type { StatusRecord } from '../../core/pod-status/status-record.ts';
import type { Log } from '../../ports/log.ts';
import type { StatusSubscriber } from '../../ports/observe/status-subscriber.ts';

interface StatusChange {
  readonly pod: Pod;
  readonly record: StatusRecord;
  readonly isAdded: boolean;
}

export class StatusNotifier {
  readonly #log: Log;
  readonly #subscribers = new Set<StatusSubscriber>();
  readonly #waiting: StatusChange[] = [];
  #isNotifying = false;

  constructor(log: Log) {
    this.#log = log;
  }

  subscribe(subscriber: StatusSubscriber): () => void {
    this.#subscribers.add(subscriber);
    return () => void this.#subscribers.delete(subscriber);
  }

  notify(pod: Pod, record: StatusRecord, isAdded: boolean): void {
    this.#waiting.push({ pod: { ...pod, status: record.status }, record, isAdded });
    if (this.#isNotifying) return;
    this.#isNotifying = true;
    for (let change = this.#waiting.shift(); change; change = this.#waiting.shift()) {
      for (const subscriber of this.#subscribers) this.#notifyOne(subscriber, change);
    }
    this.#isNotifying = false;
  }

  #notifyOne(subscriber: StatusSubscriber, { pod, record, isAdded }: StatusChange): void {
    try {
      if (record.isFinished) subscriber.podRemoved(pod);
      else subscriber.podUpdated(pod, record.status, isAdded);
    } catch (error) {
      this.#log.error('Status subscriber failed', { error });
    }
  }
}

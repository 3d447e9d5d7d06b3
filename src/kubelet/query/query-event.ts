/**
 * One event of a watch of the query API, and its encoding as a server-sent event.
 *
 *     id: EPOCH-REVISION          where a client resumes (`Last-Event-ID`)
 *     event: pod                  pod, deleted, decision, alert, reset or synced
 *     data: {"kind":"Pod",…}
 *
 * The event is encoded once, when the first watcher needs it, and shared by all watchers.
 */
import type { JsonObject } from '../../lib/json.ts';

/**
 * pod       a pod was added or changed
 * deleted   a pod is gone from this node, or the filter of the watch no longer matches it
 * decision  a decision about a pod
 * alert     an alert began, fired or resolved; `deleted` if it is no longer shown
 * reset     the changes since the client's last event are unknown: the whole state follows
 * synced    the whole state was sent; changes follow
 */
export type QueryEventType = 'pod' | 'deleted' | 'decision' | 'alert' | 'reset' | 'synced';

export class QueryEvent {
  readonly id: string;
  readonly type: QueryEventType;
  readonly object: JsonObject;
  #frame: Uint8Array | undefined;

  constructor(id: string, type: QueryEventType, object: JsonObject) {
    this.id = id;
    this.type = type;
    this.object = object;
  }

  /** The event as a server-sent event. The JSON has no line ends, so the data is one line. */
  get frame(): Uint8Array {
    const { id, type, object } = this;
    this.#frame ??= Buffer.from(`id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(object)}\n\n`);
    return this.#frame;
  }
}

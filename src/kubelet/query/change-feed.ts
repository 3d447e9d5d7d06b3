/**
 * Sends the changes of one kind of subject (pods, decisions, alerts) to its watchers, in order.
 *
 *     publish ──> journal ──> watchers that resume
 *          └────────────────> watchers that are open
 *
 * 1. A watcher gets every change that its filter matches, once and in order; or a `reset` with the whole
 *    state; or its watch is ended.
 * 2. A subject that the filter matched before a change and not after it is `deleted` for this watcher.
 * 3. Changes are recorded while there is a watcher, and for a while after the last watcher has left, so that
 *    it can resume. At other times nothing is serialized or recorded.
 */
import type { JsonObject } from '../../lib/json.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import { ChangeJournal, type JournalEntry, type JournalLimits } from './change-journal.ts';
import { formatEventId, NOTHING_SEEN, parseEventId } from './event-id.ts';
import { QueryEvent, type QueryEventType } from './query-event.ts';
import { QueryWatch } from './query-watch.ts';

export interface ChangeFeedOptions extends JournalLimits {
  readonly clock: Clock;
  readonly epoch: string;
  /** Counts the changes of all feeds. */
  readonly revisions: RevisionCounter;
  readonly unsentBytesMax: number;
  /** How long changes are recorded after the last watcher has left. */
  readonly lingerMs: number;
}

export interface RevisionCounter {
  newest: number;
}

export interface Change<Subject> {
  readonly type: 'pod' | 'deleted' | 'decision' | 'alert';
  /** Null: it is new. */
  readonly before: Subject | null;
  /** Null: it is gone. */
  readonly after: Subject | null;
}

export interface WatchRequest<Subject> {
  readonly matches: (subject: Subject) => boolean;
  /** The whole state that the filter matches, at this moment. */
  readonly state: () => readonly Subject[];
  /** The ID of the last event that the client has; absent: it has none. */
  readonly lastEventId?: string | undefined;
  readonly ended: () => void;
}

interface FeedEntry<Subject> extends JournalEntry {
  readonly change: Change<Subject>;
  readonly event: QueryEvent;
  /** The event for watchers whose filter no longer matches; made when the first one needs it. */
  left?: QueryEvent;
}

export class ChangeFeed<Subject extends object> {
  readonly #options: ChangeFeedOptions;
  readonly #json: (subject: Subject) => JsonObject;
  readonly #journal: ChangeJournal<FeedEntry<Subject>>;
  readonly #watchers = new Map<QueryWatch, WatchRequest<Subject>>();
  /** The state events of subjects, which all new watchers share. */
  readonly #stateEvents = new WeakMap<Subject, QueryEvent>();
  readonly #stateType: QueryEventType;
  #isRecording = false;
  #cancelLinger: Cancel = () => {};

  constructor(
    stateType: 'pod' | 'decision' | 'alert',
    json: (subject: Subject) => JsonObject,
    options: ChangeFeedOptions,
  ) {
    this.#stateType = stateType;
    this.#json = json;
    this.#options = options;
    this.#journal = new ChangeJournal(options);
  }

  publish(change: Change<Subject>): void {
    const { revisions } = this.#options;
    revisions.newest += 1;
    const revision = revisions.newest;
    const subject = change.after ?? change.before;
    if (!this.#isRecording || !subject) return this.#journal.skip(revision);
    const event = new QueryEvent(this.#idOf(revision), change.type, this.#json(subject));
    const entry = { revision, bytes: event.frame.byteLength, change, event };
    this.#journal.append(entry);
    for (const [watch, { matches }] of this.#watchers) {
      const own = this.#eventFor(entry, matches);
      if (own) watch.offer(own);
    }
  }

  watch(request: WatchRequest<Subject>): QueryWatch {
    this.#cancelLinger();
    this.#isRecording = true;
    const watch = new QueryWatch({
      first: this.#firstEvents(request),
      unsentBytesMax: this.#options.unsentBytesMax,
      newestId: () => this.#idOf(this.#options.revisions.newest),
      ended: (ended) => this.#left(ended),
    });
    this.#watchers.set(watch, request);
    return watch;
  }

  close(): void {
    for (const watch of [...this.#watchers.keys()]) watch.end();
    this.#cancelLinger();
    this.#stopRecording();
  }

  #left(watch: QueryWatch): void {
    const request = this.#watchers.get(watch);
    this.#watchers.delete(watch);
    request?.ended();
    if (this.#watchers.size > 0) return;
    const { clock, lingerMs } = this.#options;
    this.#cancelLinger = clock.after(lingerMs, () => this.#stopRecording());
  }

  #stopRecording(): void {
    this.#isRecording = false;
    this.#journal.skip(this.#options.revisions.newest);
  }

  #firstEvents({ matches, state, lastEventId }: WatchRequest<Subject>): readonly QueryEvent[] {
    if (lastEventId === undefined) return this.#wholeState(state());
    const missed = this.#missedSince(lastEventId);
    if (typeof missed === 'string') {
      const reset = new QueryEvent(this.#idOf(NOTHING_SEEN), 'reset', { reason: missed });
      return [reset, ...this.#wholeState(state())];
    }
    return missed.flatMap((entry) => this.#eventFor(entry, matches) ?? []);
  }

  /** The changes since the event, or a text that says why they are not known. */
  #missedSince(lastEventId: string): readonly FeedEntry<Subject>[] | string {
    const { epoch, revisions } = this.#options;
    const id = parseEventId(lastEventId);
    if (!id) return 'the ID is not one of this interface';
    if (id.epoch !== epoch) return 'podkeep was restarted since then';
    if (id.revision === NOTHING_SEEN) return 'the whole state was not received to its end';
    if (id.revision > revisions.newest) return 'there is no such revision yet';
    return this.#journal.after(id.revision) ?? 'the changes since then are no longer recorded';
  }

  #wholeState(subjects: readonly Subject[]): readonly QueryEvent[] {
    const { newest } = this.#options.revisions;
    const synced = { revision: newest, items: subjects.length };
    return [
      ...subjects.map((subject) => this.#stateEventOf(subject)),
      new QueryEvent(this.#idOf(newest), 'synced', synced),
    ];
  }

  #stateEventOf(subject: Subject): QueryEvent {
    let event = this.#stateEvents.get(subject);
    if (!event) {
      event = new QueryEvent(this.#idOf(NOTHING_SEEN), this.#stateType, this.#json(subject));
      this.#stateEvents.set(subject, event);
    }
    return event;
  }

  /** Null: the change is not visible through this filter. */
  #eventFor(entry: FeedEntry<Subject>, matches: (subject: Subject) => boolean): QueryEvent | null {
    const { before, after } = entry.change;
    if (after && matches(after)) return entry.event;
    if (!before || !matches(before)) return null;
    if (!after) return entry.event;
    entry.left ??= new QueryEvent(entry.event.id, 'deleted', this.#json(before));
    return entry.left;
  }

  #idOf(revision: number): string {
    return formatEventId(this.#options.epoch, revision);
  }
}

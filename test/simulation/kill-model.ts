/** The model's own record of kills and of the callers that wait for them. (Invariant 9.) */
import type { EventJournal } from './event-journal.ts';
import type { RuntimeRecords } from './runtime-records.ts';

export class KillModel {
  readonly #journal: EventJournal;
  readonly #runtime: RuntimeRecords;
  readonly #open = new Map<number, string>();
  readonly #killedEver = new Set<string>();
  readonly #evicted = new Set<string>();
  readonly #evictedNow = new Set<string>();
  readonly #killed = new Set<string>();
  #last = 0;

  constructor(journal: EventJournal, runtime: RuntimeRecords) {
    this.#journal = journal;
    this.#runtime = runtime;
  }

  /** UIDs for which a caller still waits. */
  get open(): readonly string[] {
    return [...this.#open.values()];
  }

  /** Was it ever to be killed, in this life of podkeep or in an earlier one? */
  wasKilled(uid: string): boolean {
    return this.#killedEver.has(uid);
  }

  /** Is its UID the one of a pod that was killed, and not yet that of a new one (PW-83)? */
  isKilled(uid: string): boolean {
    return this.#killed.has(uid);
  }

  /** Its last status was Failed, and a UID that comes back keeps that. */
  wasEvicted(uid: string): boolean {
    return this.#evicted.has(uid);
  }

  /** Evicted in this life of podkeep, when nothing else had ended it: its status must show the eviction. */
  get evictedNow(): ReadonlySet<string> {
    return this.#evictedNow;
  }

  evicted(uid: string, isRunning: boolean): void {
    this.#evicted.add(uid);
    if (isRunning) this.#evictedNow.add(uid);
  }

  /** A kill whose completion podkeep itself awaits. */
  began(uid: string): void {
    this.#killed.add(uid);
    this.#killedEver.add(uid);
  }

  forgotten(uid: string): void {
    this.#killed.delete(uid);
    this.#evictedNow.delete(uid);
  }

  /** A caller requests a kill. Returns the function to call when it is complete. */
  asked(uid: string): () => void {
    this.#last += 1;
    const id = this.#last;
    this.#open.set(id, uid);
    this.#killed.add(uid);
    this.#killedEver.add(uid);
    return () => this.#completed(id, uid);
  }

  lifeEnded(): void {
    this.#open.clear();
    this.#killed.clear();
    this.#evictedNow.clear();
  }

  #completed(id: number, uid: string): void {
    this.#journal.notify('podkeep', `${uid}: kill ${id} is complete`);
    if (!this.#open.delete(id)) this.#journal.breaks(9, `${uid}: kill ${id} completed twice`);
    const [running] = this.#runtime.running(uid);
    if (running) this.#journal.breaks(9, `${uid}: killed, but ${running.id} runs`);
  }
}

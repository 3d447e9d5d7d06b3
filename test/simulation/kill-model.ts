/** The model's own account of kills: who waits for what. (Invariant 9.) */
import type { Chronicle } from './chronicle.ts';
import type { RuntimeRecords } from './runtime-records.ts';

export class KillModel {
  readonly #chronicle: Chronicle;
  readonly #runtime: RuntimeRecords;
  readonly #open = new Map<number, string>();
  readonly #killedEver = new Set<string>();
  readonly #evicted = new Set<string>();
  readonly #evictedNow = new Set<string>();
  readonly #killed = new Set<string>();
  #last = 0;

  constructor(chronicle: Chronicle, runtime: RuntimeRecords) {
    this.#chronicle = chronicle;
    this.#runtime = runtime;
  }

  /** UIDs for which somebody still waits. */
  get open(): readonly string[] {
    return [...this.#open.values()];
  }

  /** Was it ever to be killed, in this life of podkeep or in one before? */
  wasKilled(uid: string): boolean {
    return this.#killedEver.has(uid);
  }

  /** Is its UID the one of a pod that was killed, and not yet that of a new one (PW-83)? */
  isKilled(uid: string): boolean {
    return this.#killed.has(uid);
  }

  /** Its last status said Failed, and a UID that comes back keeps that. */
  wasEvicted(uid: string): boolean {
    return this.#evicted.has(uid);
  }

  /** Evicted in this life of podkeep, when nothing else had ended it: its status must say so. */
  get evictedNow(): ReadonlySet<string> {
    return this.#evictedNow;
  }

  evicted(uid: string, isRunning: boolean): void {
    this.#evicted.add(uid);
    if (isRunning) this.#evictedNow.add(uid);
  }

  forgotten(uid: string): void {
    this.#killed.delete(uid);
    this.#evictedNow.delete(uid);
  }

  /** Somebody asks for a kill. Returns what to call when it is complete. */
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
    this.#chronicle.tell('podkeep', `${uid}: kill ${id} is complete`);
    if (!this.#open.delete(id)) this.#chronicle.breaks(9, `${uid}: kill ${id} completed twice`);
    const [running] = this.#runtime.running(uid);
    if (running) this.#chronicle.breaks(9, `${uid}: killed, but ${running.id} runs`);
  }
}

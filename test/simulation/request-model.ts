/** The model's own record of requests that are under way. (Invariants 10 and 21.) */
import type { EventJournal } from './event-journal.ts';

export class RequestModel {
  readonly #journal: EventJournal;
  readonly #underWay = new Map<string, string>();
  /** Objects that podkeep has learnt to be stale in its view, by pod. */
  readonly #mustRead = new Map<string, string>();
  /** Their status was forgotten while a request was under way: its answer belongs to no record. */
  readonly #orphaned = new Set<string>();
  #window = 0;
  #isLimited = false;
  /** How many requests podkeep has sent in all its lives. */
  sentInAll = 0;

  constructor(journal: EventJournal) {
    this.#journal = journal;
  }

  get isIdle(): boolean {
    return this.#underWay.size === 0;
  }

  /** The window allows one more request, for this pod. */
  isFree(uid: string): boolean {
    return !this.#isLimited && this.#underWay.size < this.#window && !this.#underWay.has(uid);
  }

  isUnderWay(uid: string): boolean {
    return this.#underWay.has(uid);
  }

  lifeBegan({ window, qps }: { readonly window: number; readonly qps: number }): void {
    this.#underWay.clear();
    this.#mustRead.clear();
    this.#orphaned.clear();
    this.#window = window;
    this.#isLimited = qps >= 0;
  }

  /** `target` is the UID that a write is meant for: the pod's own, or that of its mirror. */
  sent(uid: string, verb: string, target: string): void {
    this.sentInAll += 1;
    if (verb === 'GET') this.#mustRead.delete(uid);
    else if (this.#mustRead.get(uid) === target) {
      this.#journal.breaks(21, `${uid}: ${verb} is sent after a conflict`);
    }
    const other = this.#underWay.get(uid);
    if (other) this.#journal.breaks(10, `${uid}: ${verb} is sent while ${other} is under way`);
    this.#underWay.set(uid, verb);
    const { size } = this.#underWay;
    if (size > this.#window) {
      this.#journal.breaks(10, `${size} requests are under way, ${this.#window} are allowed`);
    }
  }

  settled(uid: string): void {
    this.#underWay.delete(uid);
    this.#orphaned.delete(uid);
  }

  conflicted(uid: string, target: string): void {
    if (!this.#orphaned.has(uid)) this.#mustRead.set(uid, target);
  }

  forgotten(uid: string): void {
    this.#mustRead.delete(uid);
    if (this.#underWay.has(uid)) this.#orphaned.add(uid);
  }
}

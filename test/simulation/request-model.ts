/** The model's own account of requests that are under way. (Invariant 10.) */
import type { Chronicle } from './chronicle.ts';

export class RequestModel {
  readonly #chronicle: Chronicle;
  readonly #underWay = new Map<string, string>();
  #window = 0;
  /** How many requests podkeep has sent in all its lives. */
  sentInAll = 0;

  constructor(chronicle: Chronicle) {
    this.#chronicle = chronicle;
  }

  get isIdle(): boolean {
    return this.#underWay.size === 0;
  }

  lifeBegan(window: number): void {
    this.#underWay.clear();
    this.#window = window;
  }

  sent(uid: string, verb: string): void {
    this.sentInAll += 1;
    const other = this.#underWay.get(uid);
    if (other) this.#chronicle.breaks(10, `${uid}: ${verb} is sent while ${other} is under way`);
    this.#underWay.set(uid, verb);
    const { size } = this.#underWay;
    if (size > this.#window) {
      this.#chronicle.breaks(10, `${size} requests are under way, ${this.#window} are allowed`);
    }
  }

  settled(uid: string): void {
    this.#underWay.delete(uid);
  }
}

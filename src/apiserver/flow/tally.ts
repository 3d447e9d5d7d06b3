/**
 * Counts what each user has in flight (bytes, lists, streams), with a limit for one user and for all users
 * together.
 */

export interface TallyLimits {
  readonly perUser: number;
  readonly total: number;
}

export class Tally {
  readonly #limits: TallyLimits;
  readonly #users = new Map<string, number>();
  #total = 0;

  constructor(limits: TallyLimits) {
    this.#limits = limits;
  }

  get total(): number {
    return this.#total;
  }

  /** False: a limit would be exceeded, and nothing is added. */
  add(user: string, amount = 1): boolean {
    const after = (this.#users.get(user) ?? 0) + amount;
    if (after > this.#limits.perUser || this.#total + amount > this.#limits.total) return false;
    this.#users.set(user, after);
    this.#total += amount;
    return true;
  }

  remove(user: string, amount = 1): void {
    const after = (this.#users.get(user) ?? 0) - amount;
    if (after > 0) this.#users.set(user, after);
    else this.#users.delete(user);
    this.#total -= amount;
  }
}

/** Counts pods by topology domain (the key and the value of a node label). A count of zero has no entry. */
import type { Labels } from '../../../../api/values/label-selector.ts';

export class DomainCounts {
  readonly #counts: Map<string, number>;

  constructor(counts: ReadonlyMap<string, number> = new Map()) {
    this.#counts = new Map(counts);
  }

  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  /** A node without the label is in no domain. */
  add(key: string, labels: Labels, amount: number): void {
    const domain = domainOf(key, labels);
    if (domain === null) return;
    const sum = (this.#counts.get(domain) ?? 0) + amount;
    if (sum === 0) this.#counts.delete(domain);
    else this.#counts.set(domain, sum);
  }

  at(key: string, labels: Labels): number {
    const domain = domainOf(key, labels);
    return domain === null ? 0 : (this.#counts.get(domain) ?? 0);
  }

  copy(): DomainCounts {
    return new DomainCounts(this.#counts);
  }
}

function domainOf(key: string, labels: Labels): string | null {
  return Object.hasOwn(labels, key) ? `${key}=${labels[key]}` : null;
}

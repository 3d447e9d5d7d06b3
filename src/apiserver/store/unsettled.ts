/**
 * The newest state of each key that a commit under way has changed.
 *
 * It is not readable, because the commit may still fail; but the next commit is checked against it, because
 * it will most likely succeed. Otherwise two clients could both replace the same revision of an object while
 * the disk is busy.
 */
import type { Commit } from './journal.ts';

export class Unsettled {
  /** The revision that each key will have; 0: it will be deleted. */
  readonly #revisions = new Map<string, { readonly commit: number; readonly revision: number }>();

  /** Undefined: no commit under way touches the key. */
  revisionOf(key: string): number | undefined {
    return this.#revisions.get(key)?.revision;
  }

  add({ revision, writes }: Commit): void {
    for (const { key, value } of writes) {
      this.#revisions.set(key, { commit: revision, revision: value === null ? 0 : revision });
    }
  }

  /** A commit is durable. Changes of later ones stay. */
  settle({ revision, writes }: Commit): void {
    for (const { key } of writes) {
      if (this.#revisions.get(key)?.commit === revision) this.#revisions.delete(key);
    }
  }

  clear(): void {
    this.#revisions.clear();
  }
}

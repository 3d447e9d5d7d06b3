/**
 * Tracks the newest revision of each key that a commit in flight changes.
 *
 * This state is not visible to readers, because the commit may still fail. But the next commit is checked
 * against it, because the commit will most likely succeed. Otherwise two clients could both replace the same
 * revision of an object while the disk is busy.
 */
import type { Commit } from './journal.ts';

export class Unsettled {
  /** The revision that each key will have. 0: it will be deleted. */
  readonly #revisions = new Map<string, { readonly commit: number; readonly revision: number }>();

  /** Undefined: no commit in flight changes the key. */
  revisionOf(key: string): number | undefined {
    return this.#revisions.get(key)?.revision;
  }

  add({ revision, writes }: Commit): void {
    for (const { key, value } of writes) {
      this.#revisions.set(key, { commit: revision, revision: value === null ? 0 : revision });
    }
  }

  /** Called when a commit is durable. Changes of later commits stay. */
  settle({ revision, writes }: Commit): void {
    for (const { key } of writes) {
      if (this.#revisions.get(key)?.commit === revision) this.#revisions.delete(key);
    }
  }

  clear(): void {
    this.#revisions.clear();
  }
}

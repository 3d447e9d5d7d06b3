/**
 * How long failed pods of a DaemonSet stay on their node before they are replaced: 1 s, doubled with each failure up to
 * 15 minutes, as in kube-controller-manager. A kubelet that refuses a pod would else be asked again and again.
 *
 * It is kept in memory: after a restart the first failure counts as the first.
 */
interface Entry {
  readonly sinceMs: number;
  readonly delayMs: number;
}

const FIRST_MS = 1000;
const LONGEST_MS = 15 * 60 * 1000;
const FORGOTTEN_MS = 2 * LONGEST_MS;
/** Entries of nodes that failed last are kept. */
const ENTRIES_MAX = 10_000;

export class FailedPodBackoff {
  readonly #entries = new Map<string, Entry>();

  /** 0: the pod may be deleted now. */
  remainingMs(key: string, nowMs: number): number {
    const entry = this.#entries.get(key);
    if (!entry) return 0;
    return Math.max(entry.sinceMs + entry.delayMs - nowMs, 0);
  }

  /** A failed pod was deleted: the next one has to wait longer. */
  note(key: string, nowMs: number): void {
    const entry = this.#entries.get(key);
    const isOld = !entry || nowMs - entry.sinceMs > FORGOTTEN_MS;
    const delayMs = isOld ? FIRST_MS : Math.min(entry.delayMs * 2, LONGEST_MS);
    this.#entries.delete(key);
    this.#entries.set(key, { sinceMs: nowMs, delayMs });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > ENTRIES_MAX && oldest !== undefined) this.#entries.delete(oldest);
  }
}

/**
 * Back-off for replacing failed pods of a DaemonSet: 1 s, doubled with each failure up to 15 minutes, as in
 * kube-controller-manager. Without it, a kubelet that rejects the pod would get a new one all the time.
 *
 * The back-off is in memory only, so it starts again after a restart.
 */
interface Entry {
  readonly sinceMs: number;
  readonly delayMs: number;
}

const FIRST_MS = 1000;
const LONGEST_MS = 15 * 60 * 1000;
const FORGOTTEN_MS = 2 * LONGEST_MS;
/** The least recently failed entries are dropped. */
const ENTRIES_MAX = 10_000;

export class FailedPodBackoff {
  readonly #entries = new Map<string, Entry>();

  /** 0: the pod may be deleted now. */
  remainingMs(key: string, nowMs: number): number {
    const entry = this.#entries.get(key);
    if (!entry) return 0;
    return Math.max(entry.sinceMs + entry.delayMs - nowMs, 0);
  }

  /** Records that a failed pod was deleted: the next one waits longer. */
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

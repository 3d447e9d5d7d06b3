/**
 * How much may be sent: SPDY gives every stream, and the connection as a whole, a window of 64 KiB that
 * shrinks with every byte and grows when the other side says that it has read.
 *
 * Kubernetes' own clients know nothing of that: they never say that they have read, and whoever waits
 * for it waits forever. So windows bind us only from the moment that the other side shows that it keeps
 * them, by a setting or by a first update. Until then the socket alone holds us back. What was sent is
 * counted from the beginning, so that nothing is forgotten when they begin to bind.
 */

const WINDOW_BYTES = 64 * 1024;
const WINDOW_BYTES_MAX = 0x7fff_ffff;
/** Stands for the connection in updates. */
const CONNECTION = 0;

export class SendWindows {
  #areKept = false;
  #initial = WINDOW_BYTES;
  readonly #windows = new Map<number, number>([[CONNECTION, WINDOW_BYTES]]);
  #waiting: (() => void)[] = [];

  /** Whether the other side counts too, and has to be told what we have read. */
  get areKept(): boolean {
    return this.#areKept;
  }

  open(streamId: number): void {
    this.#windows.set(streamId, this.#initial);
  }

  /** Whoever waits for room on it is told to look again. */
  close(streamId: number): void {
    this.#windows.delete(streamId);
    this.#wake();
  }

  /** How many of the wanted bytes may go now. */
  take(streamId: number, wanted: number): number {
    const stream = this.#windows.get(streamId) ?? 0;
    const connection = this.#windows.get(CONNECTION) ?? 0;
    const taken = this.#areKept ? Math.max(0, Math.min(wanted, stream, connection)) : wanted;
    if (this.#windows.has(streamId)) this.#windows.set(streamId, stream - taken);
    this.#windows.set(CONNECTION, connection - taken);
    return taken;
  }

  /** Calls back once, when there may be more room. */
  wait(wake: () => void): void {
    this.#waiting.push(wake);
  }

  /** False: the window would be larger than any may be. */
  grow(streamId: number, bytes: number): boolean {
    this.#areKept = true;
    const window = this.#windows.get(streamId);
    if (window === undefined) return true; // it is closed already
    if (window + bytes > WINDOW_BYTES_MAX) return false;
    this.#windows.set(streamId, window + bytes);
    this.#wake();
    return true;
  }

  /** What streams begin with; those that are open get or lose the difference. Null: it is not said. */
  setInitial(bytes: number | null): void {
    this.#areKept = true;
    if (bytes === null) return;
    const difference = Math.min(bytes, WINDOW_BYTES_MAX) - this.#initial;
    this.#initial += difference;
    for (const [id, window] of this.#windows) {
      if (id !== CONNECTION) this.#windows.set(id, window + difference);
    }
    this.#wake();
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}

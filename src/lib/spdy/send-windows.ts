/**
 * SPDY's flow control for sending: every stream, and the connection as a whole, has a window of 64 KiB that
 * shrinks with every byte sent and grows when the other side reports that it has read.
 *
 * Kubernetes' own clients do not implement it: they never report that they have read, and a sender that
 * waited for it would wait forever. So windows apply only after the other side has shown that it implements
 * them, by a setting or a first update. Until then only the socket limits the sender. Sent bytes are counted
 * from the beginning, so that the windows are correct when they begin to apply.
 */

const WINDOW_BYTES = 64 * 1024;
const WINDOW_BYTES_MAX = 0x7fff_ffff;
/** The stream ID of the connection itself in window updates. */
const CONNECTION = 0;

export class SendWindows {
  #areKept = false;
  #initial = WINDOW_BYTES;
  readonly #windows = new Map<number, number>([[CONNECTION, WINDOW_BYTES]]);
  #waiting: (() => void)[] = [];

  /** Whether the other side implements windows, and expects updates for data that was read here. */
  get areKept(): boolean {
    return this.#areKept;
  }

  open(streamId: number): void {
    this.#windows.set(streamId, this.#initial);
  }

  /** Wakes all waiters, so that those of this stream check again. */
  close(streamId: number): void {
    this.#windows.delete(streamId);
    this.#wake();
  }

  /** How many of the wanted bytes may be sent now. */
  take(streamId: number, wanted: number): number {
    const stream = this.#windows.get(streamId) ?? 0;
    const connection = this.#windows.get(CONNECTION) ?? 0;
    const taken = this.#areKept ? Math.max(0, Math.min(wanted, stream, connection)) : wanted;
    if (this.#windows.has(streamId)) this.#windows.set(streamId, stream - taken);
    this.#windows.set(CONNECTION, connection - taken);
    return taken;
  }

  /** Calls back once, when the windows may have grown. */
  wait(wake: () => void): void {
    this.#waiting.push(wake);
  }

  /** False: the window would exceed the maximum. */
  grow(streamId: number, bytes: number): boolean {
    this.#areKept = true;
    const window = this.#windows.get(streamId);
    if (window === undefined) return true; // it is closed already
    if (window + bytes > WINDOW_BYTES_MAX) return false;
    this.#windows.set(streamId, window + bytes);
    this.#wake();
    return true;
  }

  /** Sets the initial size; open streams gain or lose the difference. Null: the setting has no such value. */
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

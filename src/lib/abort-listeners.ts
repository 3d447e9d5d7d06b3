/**
 * Any number of listeners on one AbortSignal.
 *
 * One signal may end the work on five hundred pods, and every step of that work listens to it. As
 * listeners of the signal itself they look like a leak to Node, which warns from the eleventh on. So the
 * signal gets one listener, which calls a set of them; a step that ends removes itself from the set, and
 * the last one removes the listener from the signal.
 */

type Listener = () => void;

interface Waiting {
  readonly listeners: Set<Listener>;
  /** The one listener that the signal has. */
  readonly fire: Listener;
}

const waitingFor = new WeakMap<AbortSignal, Waiting>();

/** Calls `listener` once when the signal is aborted. As with an event: never if it already is. */
export function onAbort(signal: AbortSignal | undefined, listener: Listener): void {
  if (signal === undefined || signal.aborted) return;
  let waiting = waitingFor.get(signal);
  if (!waiting) {
    const listeners = new Set<Listener>();
    waiting = { listeners, fire: () => callAll(listeners) };
    waitingFor.set(signal, waiting);
    signal.addEventListener('abort', waiting.fire, { once: true });
  }
  waiting.listeners.add(listener);
}

export function offAbort(signal: AbortSignal | undefined, listener: Listener): void {
  const waiting = signal && waitingFor.get(signal);
  if (!waiting) return;
  waiting.listeners.delete(listener);
  if (waiting.listeners.size > 0) return;
  signal.removeEventListener('abort', waiting.fire);
  waitingFor.delete(signal);
}

/** One that throws does not keep the others from being called; one that was removed is not called. */
function callAll(listeners: Set<Listener>): void {
  const failures: unknown[] = [];
  for (const listener of listeners) {
    listeners.delete(listener);
    try {
      listener();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

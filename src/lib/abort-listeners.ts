/**
 * Adds any number of listeners to one AbortSignal without Node.js's leak warning.
 *
 * One signal may end the work on five hundred pods, and every step of that work listens to it. From the
 * eleventh listener of a signal on, Node.js warns of a leak. So the signal gets one listener, which calls a
 * set of listeners; a step that ends removes itself from the set, and the last step removes the listener from
 * the signal.
 */

type Listener = () => void;

interface Waiting {
  readonly listeners: Set<Listener>;
  /** The only listener of the signal itself. */
  readonly fire: Listener;
}

const waitingFor = new WeakMap<AbortSignal, Waiting>();

/**
 * Calls `listener` once when the signal is aborted. Like an event, it is never called if the signal is
 * aborted already.
 */
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

/** Calls all listeners even if one throws. A listener that was removed meanwhile is not called. */
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

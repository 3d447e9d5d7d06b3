/** Runs a probe with a signal that is aborted at its timeout, or when its answer is not needed any more. */
import type { Clock } from '../../../ports/clock.ts';

export interface TimeLimit {
  readonly signal: AbortSignal;
  /** The timeout came first. */
  readonly isOver: () => boolean;
}

export async function withinTime<T>(
  clock: Clock,
  ms: number,
  outer: AbortSignal,
  work: (limit: TimeLimit) => Promise<T>,
): Promise<T> {
  outer.throwIfAborted();
  const inner = new AbortController();
  let isOver = false;
  const cancel = clock.after(ms, () => {
    isOver = true;
    inner.abort();
  });
  const signal = AbortSignal.any([outer, inner.signal]);
  try {
    return await work({ signal, isOver: () => isOver && !outer.aborted });
  } finally {
    cancel();
  }
}

/** Polls for a condition until a deadline. */
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 50;

export interface Patience {
  /** What is awaited, for the message: "the pod to be gone". */
  readonly what: string;
  readonly deadlineMs: number;
  /** Details for the error at the deadline. */
  readonly explain?: () => string;
}

/** Returns what `attempt` found, or fails at the deadline with the last reason why not. */
export async function waitFor<T>(
  { what, deadlineMs, explain }: Patience,
  attempt: () => Promise<T | undefined> | T | undefined,
): Promise<T> {
  const deadline = Date.now() + deadlineMs;
  let reason: unknown;
  while (Date.now() < deadline) {
    try {
      const found = await attempt();
      if (found !== undefined) return found;
      reason = undefined;
    } catch (error) {
      reason = error;
    }
    await sleep(POLL_MS);
  }
  const why = reason instanceof Error ? `: ${reason.message}` : '';
  const more = explain?.() ?? '';
  throw new Error(`waited ${deadlineMs / 1000} s for ${what}${why}\n${more}`.trimEnd());
}

/** A cause that an explain rule has found, and its conversion to the data of an explanation. */
import type { ExplainedCause } from './explanation.ts';
import type { CurrentWait } from './current-waits.ts';
import { isoTime } from './loose-json.ts';
import type { PodView } from './pod-view.ts';

export interface Finding {
  readonly what: string;
  readonly sinceMs?: number | null | undefined;
  readonly tried?: string | null | undefined;
  readonly next?: string | null | undefined;
  readonly nextMs?: number | null | undefined;
  readonly advice?: readonly string[];
  /** The waits that this finding explains: no later rule shows them again. */
  readonly waits?: readonly (CurrentWait | undefined)[];
}

/** One situation in which a pod can be stuck. */
export interface Rule {
  /** `image-not-pulled`; it is the `situation` of the cause. */
  readonly situation: string;
  /** Empty: the pod is not in this situation. `claimed`: waits that earlier rules have explained. */
  readonly find: (view: PodView, claimed: ReadonlySet<CurrentWait>) => readonly Finding[];
}

export function toCause(situation: string, finding: Finding): ExplainedCause {
  const { what, sinceMs = null, tried = null, next = null, nextMs = null, advice = [] } = finding;
  return {
    situation,
    what,
    since: isoTime(sinceMs),
    tried,
    next,
    nextAt: isoTime(nextMs),
    advice,
  };
}

/** `3 times`. Null: it is not known. */
export function times(count: number, what: string): string | null {
  if (count <= 0) return null;
  return `${what} ${count === 1 ? 'once' : `${count} times`}`;
}

export function quoted(name: string): string {
  return JSON.stringify(name);
}

/** `a`, `a and b`, `a, b and c`. */
export function listed(names: readonly string[]): string {
  if (names.length < 2) return names.join('');
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** With a full stop, unless it ends with one. Empty stays empty. */
export function sentence(text: string): string {
  const trimmed = text.trim();
  return trimmed === '' || /[.!?]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}

/** `: message`, or nothing. */
export function because(message: string): string {
  const trimmed = message.trim();
  return trimmed === '' ? '' : `: ${trimmed}`;
}

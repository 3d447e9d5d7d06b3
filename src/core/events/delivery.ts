/**
 * Decides whether an Event that could not be written is tried again, and when.
 *
 *     no answer, 429, 502, 503, 504, or a Retry-After ──> again, 12 tries in all, 10 s apart
 *     any other refusal ──> given up: it would be refused again
 *
 * The numbers are those of client-go. But client-go gives up on 502, 503 and 504 without a Retry-After; in
 * podkeep these count as no answer, because a gateway sends them when the server is unreachable.
 */

/** The API's refusal. */
export interface Refusal {
  readonly statusCode: number;
  readonly reason: string;
  readonly causes: readonly { readonly reason?: string }[];
  readonly retryAfterMs: number | null;
}

export type DeliveryDecision =
  | { readonly type: 'retry'; readonly delayMs: number }
  /** `isNew` is false for an expected refusal, which is not worth an error in the log. */
  | { readonly type: 'giveUp'; readonly isNew: boolean };

const TRIES_MAX = 12;
const PAUSE_MS = 10_000;
/** The longest Retry-After that is honoured, because other events wait behind this one. */
const RETRY_AFTER_MS_MAX = 60_000;
const AWAY: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/**
 * `tries`: how many have failed, this one included. `chance`: from 0 to below 1, so that nodes which
 * lost their server at the same time do not all retry at the same time.
 */
export function decideDelivery(
  refusal: Refusal | null,
  tries: number,
  chance: number,
): DeliveryDecision {
  if (refusal && !mayPass(refusal)) return { type: 'giveUp', isNew: !isExpected(refusal) };
  if (tries >= TRIES_MAX) return { type: 'giveUp', isNew: true };
  const asked = refusal?.retryAfterMs;
  if (asked) return { type: 'retry', delayMs: Math.min(asked, RETRY_AFTER_MS_MAX) };
  return { type: 'retry', delayMs: tries === 1 ? PAUSE_MS * chance : PAUSE_MS };
}

/** A PATCH of an event that has expired meanwhile, or was never written. */
export function isGone({ statusCode }: Refusal): boolean {
  return statusCode === 404;
}

function mayPass({ statusCode, retryAfterMs }: Refusal): boolean {
  return AWAY.has(statusCode) || (statusCode >= 500 && retryAfterMs !== null);
}

/** An earlier try wrote it and its answer was lost, or its namespace is being deleted. */
function isExpected({ reason, causes }: Refusal): boolean {
  return (
    reason === 'AlreadyExists' || causes.some((cause) => cause.reason === 'NamespaceTerminating')
  );
}

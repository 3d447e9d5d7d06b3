/**
 * Decides when the kubelet replaces a certificate, and how long it waits after a failed attempt, with the
 * numbers of Kubernetes' kubelet.
 *
 *     issued ──70 to 90 % of its life──> request the next one ──refused──> 2, 4, 8, 16, 32, 32 … s
 *
 * Both times have jitter, so that nodes that were created together do not rotate together.
 */
import { satisfies, type CertificateTemplate } from './certificate-template.ts';

export interface HeldCertificate extends CertificateTemplate {
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

export interface RotationFacts {
  /** Null: there is none. */
  readonly held: HeldCertificate | null;
  /** Null: the node does not know yet what to request. */
  readonly wanted: CertificateTemplate | null;
  /** A random number from 0 to 1, the same as long as the certificate is in use. */
  readonly chance: number;
  /** The current certificate must be replaced, whatever it contains. */
  readonly isForced: boolean;
}

export type RotationStep =
  | { readonly type: 'request'; readonly wanted: CertificateTemplate }
  | { readonly type: 'wait'; readonly untilMs: number };

const SHARE_MIN = 0.7;
const SHARE_SPREAD = 0.2;
const FIRST_RETRY_MS = 2000;
const RETRY_SPREAD = 0.1;
/** After this many failures in a row the waits do not grow any more. */
const GROWING_RETRIES = 4;
const LAST_RETRY_MS = 32_000;

/** The step to take now: request a certificate, or wait until a time or until the facts change. */
export function nextRotationStep(facts: RotationFacts, nowMs: number): RotationStep {
  const { held, wanted, chance, isForced } = facts;
  if (wanted === null) return { type: 'wait', untilMs: Number.POSITIVE_INFINITY };
  if (isForced || held === null || !satisfies(held, wanted)) return { type: 'request', wanted };
  const untilMs = rotationAtMs(held, chance);
  return nowMs >= untilMs ? { type: 'request', wanted } : { type: 'wait', untilMs };
}

export function rotationAtMs(
  { notBeforeMs, notAfterMs }: Pick<HeldCertificate, 'notBeforeMs' | 'notAfterMs'>,
  chance: number,
): number {
  return notBeforeMs + (notAfterMs - notBeforeMs) * (SHARE_MIN + SHARE_SPREAD * chance);
}

/** `failures`: attempts in a row that failed, at least one. */
export function retryMs(failures: number, chance: number): number {
  if (failures > GROWING_RETRIES) return LAST_RETRY_MS;
  return FIRST_RETRY_MS * 2 ** (failures - 1) * (1 + RETRY_SPREAD * chance);
}

export function isExpired(
  { notAfterMs }: Pick<HeldCertificate, 'notAfterMs'>,
  nowMs: number,
): boolean {
  return nowMs > notAfterMs;
}

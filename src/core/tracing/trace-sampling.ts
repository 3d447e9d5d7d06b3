/**
 * Decides by the ID of a trace whether its spans are exported, with the algorithm of OpenTelemetry's
 * ratio-based sampler: all components with the same rate make the same decision for a trace.
 */
const MILLION = 1_000_000n;
/** The sampler reads the last 8 bytes of an ID, without their lowest bit. */
const RANGE = 2n ** 63n;
const LOW_HALF = 16;

/** `traceId` has 32 hexadecimal digits. */
export function isTraceSampled(traceId: string, ratePerMillion: number): boolean {
  const drawn = BigInt(`0x${traceId.slice(LOW_HALF)}`) >> 1n;
  return drawn * MILLION < BigInt(ratePerMillion) * RANGE;
}

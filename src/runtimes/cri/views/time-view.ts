/** Formats CRI's nanoseconds since 1970 as RFC 3339, without trailing zeros. */

const BILLION = 1_000_000_000n;

export function timeOf(nanoseconds: bigint): string {
  const fraction = ((nanoseconds % BILLION) + BILLION) % BILLION;
  const seconds = (nanoseconds - fraction) / BILLION;
  const whole = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
  const digits = String(fraction).padStart(9, '0').replace(/0+$/, '');
  return digits === '' ? `${whole}Z` : `${whole}.${digits}Z`;
}

export function msOf(nanoseconds: bigint): number {
  return Number(nanoseconds / 1_000_000n);
}

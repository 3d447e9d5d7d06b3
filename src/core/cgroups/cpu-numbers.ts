/**
 * Converts CPU requests and limits, and sizes of huge pages, to the numbers and names of the kernel.
 *
 *     250m of CPU   256 shares (version 1), weight 10 (version 2), or 25,000 µs in each 100,000
 *     2Mi pages     the file is named 2MB
 */

const SHARES_PER_CPU = 1024;
const SHARES_MIN = 2;
const SHARES_MAX = 262_144;
const QUOTA_MIN_US = 1000;
const WEIGHT_MAX = 10_000;
const PAGE_UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'];

export function cpuSharesOf(milli: number): number {
  const shares = Math.trunc((milli * SHARES_PER_CPU) / 1000);
  return Math.min(Math.max(shares, SHARES_MIN), SHARES_MAX);
}

/** In microseconds of each period. */
export function cpuQuotaOf(milli: number, periodUs: number): number {
  return Math.max(Math.trunc((milli * periodUs) / 1000), QUOTA_MIN_US);
}

/** Shares go from 2 to 262144, weights from 1 to 10000. */
export function cpuWeightOf(shares: number): number {
  if (shares >= SHARES_MAX) return WEIGHT_MAX;
  return 1 + Math.trunc(((shares - SHARES_MIN) * (WEIGHT_MAX - 1)) / (SHARES_MAX - SHARES_MIN));
}

/** As the kernel's files name it: 2097152 is 2MB. */
export function pageSizeName(bytes: number): string {
  const power = bytes > 0 ? Math.min(Math.floor(Math.log2(bytes) / 10), PAGE_UNITS.length - 1) : 0;
  return `${Math.trunc(bytes / 1024 ** power)}${PAGE_UNITS[power] ?? ''}`;
}

/**
 * Formats numbers as Prometheus' Go library does.
 *
 * This matters for the bounds of buckets, which are label values: to a scraper, `1e+06` and `1000000` are two
 * different buckets. A million is `1e+06`, as in Kubernetes.
 */

export function numberText(value: number): string {
  if (value === Infinity) return '+Inf';
  if (value === -Infinity) return '-Inf';
  const size = Math.abs(value);
  const isShort = size === 0 || (size >= 1e-4 && size < 1e6);
  if (isShort || Number.isNaN(value)) return String(value);
  const [digits, sign, exponent] = value.toExponential().split(/e([+-])/);
  return `${digits}e${sign}${exponent?.padStart(2, '0')}`;
}

/** The same, but never an integer: OpenMetrics writes the bound 1 as `1.0`. */
export function fractionText(value: number): string {
  const text = numberText(value);
  return Number.isInteger(value) && !text.includes('e') ? `${text}.0` : text;
}

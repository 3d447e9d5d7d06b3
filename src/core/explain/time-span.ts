/** Formats a duration for people, with its two largest units: `3m12s`, `2h5m`, `40s`. */

const SECOND_MS = 1000;
const UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
  ['s', 1],
] as const;

export function formatSpan(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / SECOND_MS));
  const first = UNITS.findIndex(([, size]) => seconds >= size);
  if (first === -1) return '0s';
  let left = seconds;
  const parts: string[] = [];
  for (const [name, size] of UNITS.slice(first, first + 2)) {
    const count = Math.floor(left / size);
    left -= count * size;
    if (count > 0) parts.push(`${count}${name}`);
  }
  return parts.join('');
}

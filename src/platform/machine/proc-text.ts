/**
 * Parses the texts in which Linux describes the machine: /proc/meminfo, /proc/loadavg,
 * /proc/net/route and os-release. A missing value is null, and never an error.
 */

/** The amounts of /proc/meminfo by their names, in bytes. */
export function readMemoryInfo(text: string): ReadonlyMap<string, number> {
  const amounts = new Map<string, number>();
  for (const [, name = '', count = '', unit] of text.matchAll(/^(\S+):\s+(\d+)( kB)?$/gm)) {
    amounts.set(name, Number(count) * (unit === undefined ? 1 : 1024));
  }
  return amounts;
}

/**
 * The available memory as the kubelet computes it: all memory except the working set, which is the memory of
 * programs and active file pages. Inactive file pages can be reclaimed immediately.
 */
export function availableMemoryOf(amounts: ReadonlyMap<string, number>): number | null {
  const [total, programs, inactive] = ['MemTotal', 'AnonPages', 'Inactive(file)'].map((name) =>
    amounts.get(name),
  );
  if (total === undefined || programs === undefined || inactive === undefined) return null;
  const files = ['Buffers', 'Cached', 'SwapCached'].map((name) => amounts.get(name) ?? 0);
  const used = files.reduce((sum, bytes) => sum + bytes, programs) - inactive;
  return Math.min(Math.max(total - used, 0), total);
}

/** The number of processes and threads, from the fourth word of /proc/loadavg: `2/3518`. */
export function readTaskCount(text: string): number | null {
  const count = /^\S+ \S+ \S+ \d+\/(\d+)/.exec(text)?.[1];
  return count === undefined ? null : Number(count);
}

/** The system's PRETTY_NAME, quoted or not, as a shell would read it. */
export function readPrettyName(text: string): string | null {
  const value = /^PRETTY_NAME=(.*)$/m.exec(text)?.[1]?.trim();
  if (value === undefined) return null;
  const quoted = /^(["'])(.*)\1$/.exec(value)?.[2];
  return quoted ?? value;
}

/** The interface of the default route with the lowest metric. */
export function readDefaultInterface(text: string): string | null {
  let best: { readonly name: string; readonly metric: number } | null = null;
  for (const line of text.split('\n').slice(1)) {
    const [name, destination, , flags = '0', , , metric = '0', mask] = line.trim().split(/\s+/);
    const isUp = (Number.parseInt(flags, 16) & 1) === 1;
    if (name === undefined || !isUp) continue;
    if (destination !== '00000000' || mask !== '00000000') continue;
    if (best === null || Number(metric) < best.metric) best = { name, metric: Number(metric) };
  }
  return best?.name ?? null;
}

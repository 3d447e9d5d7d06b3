/**
 * Parses the text of a kubelet's `/metrics/resource`: the CPU time and memory of the node and its containers.
 *
 * As in metrics-server, a node or pod with incomplete or zero values is left out: it has just started, or the
 * runtime does not report it.
 */

/** One measurement of a node or of a container. */
export interface UsagePoint {
  readonly timeMs: number;
  /** When the CPU time was zero. Null: the kubelet does not report it, as for a node. */
  readonly startMs: number | null;
  readonly cpuNanoseconds: number;
  readonly memoryBytes: number;
}

/** The samples in the answer of one kubelet. */
export interface ResourceSamples {
  readonly node: UsagePoint | null;
  /** By `namespace/name` of the pod, then by the name of the container. */
  readonly pods: ReadonlyMap<string, ReadonlyMap<string, UsagePoint>>;
}

interface Part {
  timeMs?: number;
  startMs?: number;
  cpuNanoseconds?: number;
  memoryBytes?: number;
}

const LINE = /^([a-z_]+)(?:\{([^}]*)\})? (\S+)(?: (\d+))?$/;

/** `nowMs` is the time of samples without one. */
export function readResourceSamples(text: string, nowMs: number): ResourceSamples {
  const node: Part = {};
  const pods = new Map<string, Map<string, Part>>();
  for (const line of text.split('\n')) {
    const [, name = '', labels = '', number = '', stamp] = LINE.exec(line) ?? [];
    const value = Number(number);
    if (!Number.isFinite(value)) continue;
    const timeMs = stamp === undefined ? nowMs : Number(stamp);
    if (name.startsWith('node_')) addFigure(node, name.slice('node_'.length), value, timeMs);
    else if (name.startsWith('container_')) {
      const part = partFor(pods, labels);
      if (part) addFigure(part, name.slice('container_'.length), value, timeMs);
    }
  }
  return { node: pointOf(node), pods: completePods(pods) };
}

function addFigure(part: Part, figure: string, value: number, timeMs: number): void {
  switch (figure) {
    case 'cpu_usage_seconds_total':
      part.cpuNanoseconds = Math.round(value * 1e9);
      // The CPU rate is computed from two samples, so the time of the CPU sample counts.
      part.timeMs = timeMs;
      break;
    case 'memory_working_set_bytes':
      part.memoryBytes = value;
      part.timeMs ??= timeMs;
      break;
    case 'start_time_seconds':
      part.startMs = value * 1000;
      break;
  }
}

function partFor(pods: Map<string, Map<string, Part>>, labels: string): Part | null {
  const at = (name: string): string | undefined =>
    new RegExp(`(?:^|,)${name}="([^"\\\\]*)"`).exec(labels)?.[1];
  const [container, pod, namespace] = [at('container'), at('pod'), at('namespace')];
  if (!container || !pod || !namespace) return null;
  const key = `${namespace}/${pod}`;
  const containers = pods.get(key) ?? new Map<string, Part>();
  pods.set(key, containers);
  const part = containers.get(container) ?? {};
  containers.set(container, part);
  return part;
}

function pointOf({ timeMs, startMs, cpuNanoseconds, memoryBytes }: Part): UsagePoint | null {
  if (timeMs === undefined || !cpuNanoseconds || !memoryBytes) return null;
  return { timeMs, startMs: startMs ?? null, cpuNanoseconds, memoryBytes };
}

/** Leaves out pods with an incomplete container: their usage would be too small. */
function completePods(pods: ReadonlyMap<string, ReadonlyMap<string, Part>>) {
  const complete = new Map<string, ReadonlyMap<string, UsagePoint>>();
  for (const [key, parts] of pods) {
    const points = new Map<string, UsagePoint>();
    for (const [name, part] of parts) {
      const point = pointOf(part);
      if (point) points.set(name, point);
    }
    if (points.size === parts.size) complete.set(key, points);
  }
  return complete;
}

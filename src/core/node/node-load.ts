/**
 * Computes the saturation of a node's resources from measurements: for each resource a figure from 0 (idle)
 * to 1 (exhausted), and the worst of them.
 *
 *     usage      used / capacity
 *     pressure   the share of the last minute in which a task waited for the resource (PSI, `some avg60`)
 *     figure     the larger of both
 *
 * 1. A resource that was not measured has no figure; it is not reported as zero.
 * 2. A figure is between 0 and 1, whatever the kernel reports.
 */
export interface NodeMeasurements {
  /** In cores, over the last window; absent: there are no two samples yet. */
  readonly cpu?: UsedOf;
  /** Working set, in bytes. */
  readonly memory?: UsedOf;
  /** Of the node's file system, in bytes. */
  readonly disk?: UsedOf;
  readonly inodes?: UsedOf;
  readonly pids?: UsedOf;
  /** Percent, as the kernel writes `avg60`; absent: the kernel has no PSI. */
  readonly pressure?: Partial<Readonly<Record<'cpu' | 'memory' | 'io', number>>>;
}

export interface UsedOf {
  readonly used: number;
  readonly capacity: number;
}

export type LoadResource = 'cpu' | 'memory' | 'disk' | 'inodes' | 'pids' | 'io';

export interface NodeLoad {
  /** By resource, each from 0 to 1. */
  readonly saturation: ReadonlyMap<LoadResource, number>;
  /** The resource nearest to its limit; null: nothing was measured. */
  readonly worst: { readonly resource: LoadResource; readonly saturation: number } | null;
}

const RESOURCES: readonly LoadResource[] = ['cpu', 'memory', 'disk', 'inodes', 'pids', 'io'];

export function nodeLoadOf(measured: NodeMeasurements): NodeLoad {
  const saturation = new Map<LoadResource, number>();
  for (const resource of RESOURCES) {
    const figures = [usageOf(measured, resource), pressureOf(measured, resource)];
    const known = figures.filter((figure) => figure !== null);
    if (known.length > 0) saturation.set(resource, Math.max(...known));
  }
  const [worst] = [...saturation].toSorted(([, a], [, b]) => b - a);
  return { saturation, worst: worst ? { resource: worst[0], saturation: worst[1] } : null };
}

function usageOf(measured: NodeMeasurements, resource: LoadResource): number | null {
  const found = resource === 'io' ? undefined : measured[resource];
  // Some file systems have no fixed number of inodes.
  return found && found.capacity > 0 ? share(found.used / found.capacity) : null;
}

function pressureOf({ pressure }: NodeMeasurements, resource: LoadResource): number | null {
  if (resource !== 'cpu' && resource !== 'memory' && resource !== 'io') return null;
  const percent = pressure?.[resource];
  return percent === undefined ? null : share(percent / 100);
}

function share(figure: number): number | null {
  return Number.isFinite(figure) ? Math.min(Math.max(figure, 0), 1) : null;
}

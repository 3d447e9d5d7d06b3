/**
 * What pods of the simulated cluster request, how important they are and which limits they have, and the
 * model's own way to read it back from a pod. Amounts are whole Mi, so that no rule of quantities matters.
 */
import type { Container, Pod, PodSpec } from '../../../src/api/pod.ts';
import type { Dice } from '../dice.ts';

export const MiB = 2 ** 20;
/** The volume that a pod may have. */
export const DATA = 'data';
/** Above what a pod uses as long as nothing grows. */
const VOLUME_LIMIT_MIB = 120;
const CONTAINER_LIMIT_MIB = 320;

const CRITICAL_PRIORITY = 2_000_000_000;

export interface PodTraits {
  readonly priority: number;
  readonly isCritical: boolean;
  /** In bytes, of all containers together. */
  readonly memoryRequest: number;
  readonly diskRequest: number;
  /** Null: it has no such volume. */
  readonly volume: { readonly limitBytes: number | null } | null;
  /** By container, in bytes. */
  readonly diskLimits: ReadonlyMap<string, number>;
}

interface Volume {
  readonly name: string;
  readonly emptyDir: { readonly sizeLimit?: string };
}

type SpecWithVolumes = PodSpec & { readonly volumes?: readonly Volume[]; priority?: number };

export function withTraits(spec: PodSpec, dice: Dice): PodSpec {
  const hasLimits = dice.chance(0.4);
  const containers = spec.containers.map((container) => {
    const limit = hasLimits && dice.chance(0.7) ? CONTAINER_LIMIT_MIB : null;
    return { ...container, ...resourcesOf(dice, limit) };
  });
  const sizeLimit = dice.chance(0.5) ? { sizeLimit: `${VOLUME_LIMIT_MIB}Mi` } : {};
  const priority = dice.oneOf(0, 0, 0, 100, 100, -10, CRITICAL_PRIORITY, CRITICAL_PRIORITY - 1);
  const traits: SpecWithVolumes = {
    ...spec,
    containers,
    ...(dice.chance(0.8) && { priority }),
    ...(dice.chance(0.6) && { volumes: [{ name: DATA, emptyDir: sizeLimit }] }),
  };
  return traits;
}

export function traitsOf(pod: Pod): PodTraits {
  const { priority = 0, containers, volumes = [] }: SpecWithVolumes = pod.spec;
  const annotations = pod.metadata.annotations ?? {};
  const sum = (list: 'requests', name: string): number =>
    containers.reduce((total, { resources }) => total + bytesOf(resources?.[list]?.[name]), 0);
  const limits = containers.flatMap(({ name, resources }) => {
    const limit = resources?.limits?.['ephemeral-storage'];
    return limit === undefined ? [] : [[name, bytesOf(limit)] as const];
  });
  const [volume] = volumes;
  return {
    priority,
    isCritical:
      priority >= CRITICAL_PRIORITY ||
      annotations['kubernetes.io/config.mirror'] !== undefined ||
      (annotations['kubernetes.io/config.source'] ?? 'api') !== 'api',
    memoryRequest: sum('requests', 'memory'),
    diskRequest: sum('requests', 'ephemeral-storage'),
    volume: volume
      ? { limitBytes: volume.emptyDir.sizeLimit ? bytesOf(volume.emptyDir.sizeLimit) : null }
      : null,
    diskLimits: new Map(limits),
  };
}

function resourcesOf(dice: Dice, limitMiB: number | null): Pick<Container, 'resources'> {
  const memory = dice.oneOf(0, 0, 50, 100, 250);
  const disk = dice.oneOf(0, 0, 50, 150);
  const requests = {
    ...(memory > 0 && { memory: `${memory}Mi` }),
    ...(disk > 0 && { 'ephemeral-storage': `${disk}Mi` }),
  };
  const limits = limitMiB === null ? {} : { limits: { 'ephemeral-storage': `${limitMiB}Mi` } };
  return { resources: { requests, ...limits } };
}

function bytesOf(text: string | number | undefined): number {
  return text === undefined ? 0 : Number(String(text).replace(/Mi$/, '')) * MiB;
}

/**
 * Computes the capacity and the allocatable resources of a node.
 *
 *     capacity     what the machine has, and extended resources that other components set
 *     allocatable  capacity − system reserved − kube reserved − hard eviction thresholds;
 *                  of memory also − huge pages, which cannot be used as plain memory
 *
 * Resources that other components set in the status are kept. An extended resource is allocatable only if it
 * is in the capacity.
 */
import type { MachineInfo } from '../../api/machine.ts';
import {
  quantityFromInteger,
  quantityFromMilli,
  quantityValue,
  signOfQuantity,
  subtractQuantities,
  ZERO_QUANTITY,
  type Quantity,
} from '../../api/values/quantity.ts';
import { formatQuantity } from '../../api/values/quantity-text.ts';
import type { ResourceList } from '../../api/resources.ts';
import {
  addAmounts,
  amountsOf,
  resourceListOf,
  type Amounts,
} from '../../api/values/resource-amounts.ts';
import { thresholdAmount } from '../eviction/eviction-threshold.ts';
import { parseThresholds } from '../eviction/threshold-settings.ts';
import type { NodeSettings } from './node-settings.ts';

export interface MachineSize {
  /** Null: the machine could not be read. */
  readonly machine: MachineInfo | null;
  /** Of the file system with the pods' files. Null: not known, or not counted. */
  readonly storageBytes: number | null;
}

const HUGE_PAGES = 'hugepages-';

const RESERVED_BY_SIGNAL: ReadonlyMap<string, string> = new Map([
  ['memory.available', 'memory'],
  ['nodefs.available', 'ephemeral-storage'],
]);

export function capacityOf(
  size: MachineSize,
  settings: NodeSettings,
  before: ResourceList = {},
): ResourceList {
  return { ...before, ...resourceListOf(machineAmounts(size, settings)) };
}

export function allocatableOf(
  capacity: ResourceList,
  settings: NodeSettings,
  before: ResourceList = {},
): ResourceList {
  const amounts = amountsOf(capacity);
  const reserved = reservation(amounts, settings);
  const kept = amountsOf(before);
  const result = new Map(
    [...kept].filter(([name]) => amounts.has(name) || !isExtendedResource(name)),
  );
  for (const [name, amount] of amounts) {
    const part = isOfMachine(name) ? reserved.get(name) : undefined;
    result.set(name, part ? subtractDownToZero(amount, part) : amount);
  }
  for (const [name, amount] of amounts) {
    const memory = result.get('memory');
    if (!isHugePages(name) || memory === undefined) continue;
    result.set('memory', subtractDownToZero(memory, amount));
  }
  return resourceListOf(result);
}

export function isHugePages(name: string): boolean {
  return name.startsWith(HUGE_PAGES);
}

function machineAmounts({ machine, storageBytes }: MachineSize, settings: NodeSettings): Amounts {
  const pods = podsMax(machine, settings);
  const amounts = new Map<string, Quantity>([
    ['cpu', quantityFromMilli((machine?.cpuCount ?? 0) * 1000)],
    ['memory', bytes(machine?.memoryBytes ?? 0)],
    ['pods', quantityFromInteger(pods)],
  ]);
  for (const { pageBytes, count } of machine?.hugePages ?? []) {
    const name = `${HUGE_PAGES}${formatQuantity(bytes(pageBytes))}`;
    amounts.set(name, bytes(pageBytes * count));
  }
  if (storageBytes !== null) amounts.set('ephemeral-storage', bytes(storageBytes));
  return amounts;
}

function podsMax(machine: MachineInfo | null, { maxPods, podsPerCore }: NodeSettings): number {
  return podsPerCore > 0 && machine ? Math.min(machine.cpuCount * podsPerCore, maxPods) : maxPods;
}

function reservation(capacity: Amounts, settings: NodeSettings): Amounts {
  const { systemReserved, kubeReserved, evictionHard } = settings;
  const chosen = addAmounts(amountsOf(systemReserved), amountsOf(kubeReserved));
  return addAmounts(chosen, evictionReservation(capacity, evictionHard));
}

/** Hard eviction thresholds keep this much free, so it is not allocatable. */
function evictionReservation(
  capacity: Amounts,
  evictionHard: NodeSettings['evictionHard'],
): Amounts {
  const kept = new Map<string, Quantity>();
  for (const threshold of parseThresholds(evictionHard)) {
    const name = RESERVED_BY_SIGNAL.get(threshold.signal);
    if (name === undefined) continue;
    const all = Number(quantityValue(capacity.get(name) ?? ZERO_QUANTITY));
    kept.set(name, thresholdAmount(threshold, all));
  }
  return kept;
}

/** Nothing is reserved of extended resources, nor of the number of pods. */
function isOfMachine(name: string): boolean {
  return name === 'cpu' || name === 'memory' || name === 'ephemeral-storage' || isHugePages(name);
}

/** Extended resources: their domain is not Kubernetes' own. */
function isExtendedResource(name: string): boolean {
  return name.includes('/') && !/(^|\.)kubernetes\.io\//.test(name);
}

function subtractDownToZero(amount: Quantity, part: Quantity): Quantity {
  const rest = subtractQuantities(amount, part);
  return signOfQuantity(rest) < 0 ? { ...amount, nanos: 0n } : rest;
}

function bytes(count: number): Quantity {
  return quantityFromInteger(BigInt(Math.trunc(count)), 'BinarySI');
}

/**
 * Resolves the downward API's `resourceFieldRef`: a request or limit of a container as a number, such as
 * `limits.memory` in mebibytes.
 *
 * If the container sets no limit, the limit of the pod is used, or else the node's allocatable. The division
 * rounds up, so that half a processor does not become zero.
 */
import type { Container, Pod } from '../../api/pod.ts';
import type { ResourceList } from '../../api/resources.ts';
import { isZeroQuantity, quantityMilliValue, quantityValue } from '../../api/values/quantity.ts';
import { readQuantity } from '../../api/values/quantity-text.ts';
import { inputUnresolved } from './environment-errors.ts';
import type { ResourceFieldRef } from './input-spec.ts';

const DEFAULTED: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);
const POD_LEVEL: ReadonlySet<string> = new Set(['cpu', 'memory']);

/**
 * `own` is the container whose variable has the reference; a name in the reference selects another container
 * of the pod. Null: the reference is in a volume, and always names a container. As in the kubelet, the two
 * differ: volumes ignore pod-level limits, and a variable that names another init container gets no default
 * limit.
 */
export function resourceFieldOf(
  pod: Pod,
  own: Container | null,
  reference: ResourceFieldRef,
  allocatable: ResourceList,
): string {
  const { containerName = '', resource, divisor = '0' } = reference;
  const [side, name] = splitResource(resource);
  const container = containerName === '' && own ? own : containerOf(pod, containerName);
  const isDefaulted = own === null || container === own || pod.spec.containers.includes(container);
  const set = amountIn(container.resources?.[side], name);
  const amount =
    side === 'limits' && isDefaulted && isUnset(set)
      ? defaultLimit(own === null ? undefined : pod.spec.resources?.limits, name, allocatable)
      : set;
  const parts = name === 'cpu' ? quantityMilliValue : quantityValue;
  const parsedDivisor = readQuantity(divisor);
  const unit = parts(isZeroQuantity(parsedDivisor) ? readQuantity('1') : parsedDivisor);
  const value = parts(readQuantity(amount ?? '0'));
  return String(unit === 0n ? 0n : (value + unit - 1n) / unit);
}

function splitResource(resource: string): readonly ['limits' | 'requests', string] {
  const [side, ...rest] = resource.split('.');
  const name = rest.join('.');
  const isKnown = DEFAULTED.has(name) || name.startsWith('hugepages-');
  if ((side === 'limits' || side === 'requests') && isKnown) return [side, name];
  throw inputUnresolved({ reason: `unsupported container resource : ${resource}` });
}

function containerOf({ spec }: Pod, name: string): Container {
  const all = [...spec.containers, ...(spec.initContainers ?? [])];
  const container = all.find((each) => each.name === name);
  if (container) return container;
  throw inputUnresolved({ reason: `container ${name} not found` });
}

function defaultLimit(
  podLimits: ResourceList | undefined,
  name: string,
  allocatable: ResourceList,
) {
  const ofNode = DEFAULTED.has(name) ? amountIn(allocatable, name) : undefined;
  const ofPod = POD_LEVEL.has(name) ? amountIn(podLimits, name) : undefined;
  return ofNode === undefined || isUnset(ofPod) ? ofNode : ofPod;
}

function amountIn(list: ResourceList | undefined, name: string): string | number | undefined {
  return list && Object.hasOwn(list, name) ? list[name] : undefined;
}

function isUnset(amount: string | number | undefined): boolean {
  return amount === undefined || isZeroQuantity(readQuantity(amount));
}

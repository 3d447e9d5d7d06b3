/**
 * Builds the messages of Events about resizes in the form of Kubernetes' kubelet, because programs parse the
 * JSON after the colon. Fields and resource names are in Go's order.
 */
import type { Container, Pod } from '../../api/pod.ts';
import { formatQuantity, readQuantity } from '../../api/values/quantity-text.ts';
import type { ResourceList, ResourceRequirements } from '../../api/resources.ts';

export function resizeMessage(
  what: string,
  { spec }: Pod,
  generation: number,
  error?: string,
): string {
  const summary = JSON.stringify({
    ...(spec.initContainers?.length && { initContainers: spec.initContainers.map(summaryOf) }),
    containers: spec.containers.map(summaryOf),
    generation,
    ...(error && { error }),
  });
  return `Pod resize ${what}: ${summary}`;
}

function summaryOf({ name, resources = {} }: Container) {
  const { limits, requests, ...others }: ResourceRequirements = resources;
  return {
    name,
    resources: { ...list('limits', limits), ...list('requests', requests), ...others },
  };
}

function list(name: string, amounts: ResourceList = {}) {
  const sorted = Object.entries(amounts)
    .map(([resource, amount]) => [resource, formatQuantity(readQuantity(amount))] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.length > 0 ? { [name]: Object.fromEntries(sorted) } : {};
}

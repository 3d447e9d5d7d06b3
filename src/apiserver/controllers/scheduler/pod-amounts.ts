/**
 * Computes the resource requests of a pod as kube-scheduler does.
 *
 * A running container counts with the maximum of its spec, its allocated and its actual resources: while it
 * is resized down, it still uses what it had. For scores, a container without requests counts with small
 * default amounts of cpu and memory; otherwise all such pods would end up on one node.
 */
import type { Json, JsonObject } from '../../../lib/json.ts';
import { readAmount } from '../../../api/validation/quantities.ts';
import { compareQuantities } from '../../../api/values/quantity.ts';
import { readStruct, readText, type Value } from '../../../api/validation/json-reading.ts';
import { objectsAt, structAt } from '../../objects/field-path.ts';
import { requestsOfPod } from '../../objects/pod-requests.ts';
import { countAmounts, type Amounts } from './amounts.ts';

const ASSUMED: JsonObject = { cpu: '100m', memory: '200Mi' };

export interface PodAmounts {
  readonly requests: Amounts;
  readonly assumed: Amounts;
}

export function amountsOfPod(pod: JsonObject): PodAmounts {
  const actual = withActualResources(pod);
  return {
    requests: countAmounts(requestsOfPod(actual)),
    assumed: countAmounts(requestsOfPod(withAssumedRequests(actual))),
  };
}

/** The resources in the pod's status, in which a resize shows first. */
export function reportedResources(pod: JsonObject): Json {
  return ['containerStatuses', 'initContainerStatuses'].map((field) =>
    objectsAt(pod, `status.${field}`).map(({ resources, allocatedResources }) => [
      resources ?? null,
      allocatedResources ?? null,
    ]),
  );
}

function withAssumedRequests(pod: JsonObject): JsonObject {
  return withRequests(pod, (_, requests) => ({ ...ASSUMED, ...requests }));
}

function withActualResources(pod: JsonObject): JsonObject {
  const statuses = new Map(
    ['containerStatuses', 'initContainerStatuses']
      .flatMap((field) => objectsAt(pod, `status.${field}`))
      .map((status) => [readText(status['name']), status]),
  );
  if (statuses.size === 0) return pod;
  return withRequests(pod, (name, requests) => {
    const status = statuses.get(name);
    if (!status) return requests;
    const actual = structAt(status, 'resources.requests');
    return largest(largest(requests, actual), readStruct(status['allocatedResources']));
  });
}

function withRequests(
  pod: JsonObject,
  change: (name: string, requests: JsonObject) => JsonObject,
): JsonObject {
  const spec = structAt(pod, 'spec');
  const changed = (list: Value): Json[] =>
    objectsAt({ list: list ?? null }, 'list').map((container) => {
      const resources = structAt(container, 'resources');
      const requests = change(readText(container['name']), structAt(resources, 'requests'));
      return { ...container, resources: { ...resources, requests } };
    });
  const [containers, initContainers] = [
    changed(spec['containers']),
    changed(spec['initContainers']),
  ];
  return { ...pod, spec: { ...spec, containers, initContainers } };
}

function largest(requests: JsonObject, others: JsonObject): JsonObject {
  const all: Record<string, Json> = { ...requests };
  for (const [name, other] of Object.entries(others)) {
    const own = all[name];
    const isLarger = own === undefined || compareQuantities(readAmount(other), readAmount(own)) > 0;
    if (isLarger) all[name] = other;
  }
  return all;
}

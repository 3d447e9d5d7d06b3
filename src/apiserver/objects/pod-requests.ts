/** Computes the requests and limits of an unvalidated pod, with core/resources/pod-resources.ts. */
import type { Container, Pod } from '../../api/pod.ts';
import type { ResourceList, ResourceRequirements } from '../../api/resources.ts';
import { podLimits, podRequests } from '../../core/resources/pod-resources.ts';
import type { JsonObject } from '../../lib/json.ts';
import {
  readEntries,
  readObject,
  readObjects,
  readStruct,
  readText,
  type Value,
} from '../../api/validation/json-reading.ts';
import { printAmount } from '../../api/validation/quantities.ts';

export function requestsOfPod(pod: JsonObject): ResourceList {
  return podRequests(readPod(pod));
}

export function limitsOfPod(pod: JsonObject): ResourceList {
  return podLimits(readPod(pod));
}

function readPod(pod: JsonObject): Pod {
  const spec = readStruct(pod['spec']);
  const resources = readObject(spec['resources']);
  return {
    metadata: {},
    spec: {
      containers: readContainers(spec['containers']),
      initContainers: readContainers(spec['initContainers']),
      overhead: readList(spec['overhead']),
      ...(resources && { resources: readRequirements(resources) }),
    },
  };
}

function readContainers(list: Value): readonly Container[] {
  return readObjects(list).map((container) => ({
    name: readText(container['name']),
    resources: readRequirements(readStruct(container['resources'])),
    ...(container['restartPolicy'] === 'Always' && { restartPolicy: 'Always' as const }),
  }));
}

function readRequirements(resources: JsonObject): ResourceRequirements {
  return { requests: readList(resources['requests']), limits: readList(resources['limits']) };
}

function readList(list: Value): ResourceList {
  return Object.fromEntries(readEntries(list).map(([name, amount]) => [name, printAmount(amount)]));
}

/** Determines the QoS class of an unvalidated pod (core/resources/qos-class.ts decides). */
import type { Container, Pod, QosClass } from '../../../api/pod.ts';
import type { ResourceRequirements } from '../../../api/resources.ts';
import { qosClass } from '../../../core/resources/qos-class.ts';
import type { JsonObject } from '../../../lib/json.ts';
import {
  readObject,
  readObjects,
  readStruct,
  readText,
} from '../../../api/validation/json-reading.ts';
import { printAmount } from '../../../api/validation/quantities.ts';

export function qosClassOf(pod: JsonObject): QosClass {
  const spec = readStruct(pod['spec']);
  const resources = readObject(spec['resources']);
  const readable: Pod = {
    metadata: {},
    spec: {
      containers: readContainers(spec, 'containers'),
      initContainers: readContainers(spec, 'initContainers'),
      ...(resources && { resources: readRequirements(resources) }),
    },
  };
  return qosClass(readable);
}

function readContainers(
  spec: JsonObject,
  list: 'containers' | 'initContainers',
): readonly Container[] {
  return readObjects(spec[list]).map((container) => ({
    name: readText(container['name']),
    resources: readRequirements(readStruct(container['resources'])),
  }));
}

function readRequirements(resources: JsonObject): ResourceRequirements {
  const readList = (name: string): Record<string, string> =>
    Object.fromEntries(
      Object.entries(readStruct(resources[name])).map(([key, amount]) => [
        key,
        printAmount(amount),
      ]),
    );
  return { requests: readList('requests'), limits: readList('limits') };
}

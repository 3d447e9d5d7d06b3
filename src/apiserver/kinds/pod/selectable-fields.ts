/**
 * The fields of pods that field selectors support, such as spec.nodeName, by which a kubelet lists its pods.
 */
import type { JsonObject } from '../../../lib/json.ts';
import {
  readFlag,
  readObjects,
  readStruct,
  readText,
} from '../../../api/validation/json-reading.ts';

export function podSelectableFields(pod: JsonObject): Readonly<Record<string, string>> {
  const [metadata, spec, status] = ['metadata', 'spec', 'status'].map((name) =>
    readStruct(pod[name]),
  );
  const [address] = readObjects(status?.['podIPs']);
  return {
    'metadata.name': readText(metadata?.['name']),
    'metadata.namespace': readText(metadata?.['namespace']),
    'spec.nodeName': readText(spec?.['nodeName']),
    'spec.restartPolicy': readText(spec?.['restartPolicy']),
    'spec.schedulerName': readText(spec?.['schedulerName']),
    'spec.serviceAccountName': readText(spec?.['serviceAccountName']),
    'spec.hostNetwork': String(readFlag(spec?.['hostNetwork'])),
    'status.phase': readText(status?.['phase']),
    'status.podIP': readText(address?.['ip']),
    'status.podIPs': readText(address?.['ip']),
    'status.nominatedNodeName': readText(status?.['nominatedNodeName']),
  };
}

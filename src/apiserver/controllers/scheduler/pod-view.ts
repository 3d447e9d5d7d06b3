/** A pod as the scheduler sees it: its requirements on a node and on other pods, parsed once. */
import type { Labels } from '../../../api/values/label-selector.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { numberAt, objectsAt, structAt, textAt } from '../../objects/field-path.ts';
import { readNumber, readText } from '../../../api/validation/json-reading.ts';
import { metadataOf, nameOf, textOf } from '../../objects/metadata.ts';
import { labelsOf } from '../../objects/object-labels.ts';
import { readAffinityTerm, type AffinityTerm, type WeightedTerm } from './affinity-term.ts';
import type { Amounts } from './amounts.ts';
import { amountsOfPod } from './pod-amounts.ts';

export interface PodView {
  /** Its key in the store. */
  readonly key: string;
  readonly object: JsonObject;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly labels: Labels;
  /** Empty: not bound yet. */
  readonly nodeName: string;
  readonly priority: number;
  readonly isBeingDeleted: boolean;
  readonly requests: Amounts;
  /** The expected usage, for scoring nodes. */
  readonly assumed: Amounts;
  readonly hostPorts: readonly HostPort[];
  /**
   * Ports that its containers declare. On nodes whose pods share the machine's network, they are ports of the
   * machine.
   */
  readonly containerPorts: readonly HostPort[];
  readonly tolerations: readonly JsonObject[];
  readonly affinity: readonly AffinityTerm[];
  readonly antiAffinity: readonly AffinityTerm[];
  readonly preferredAffinity: readonly WeightedTerm[];
  readonly preferredAntiAffinity: readonly WeightedTerm[];
  /** Claims that its volumes name, without those of ephemeral volumes. */
  readonly claimNames: readonly string[];
  /** Empty: the pod has not started. */
  readonly startTime: string;
}

export interface HostPort {
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

export function viewPod(key: string, object: JsonObject): PodView {
  const namespace = textOf(metadataOf(object)['namespace']);
  const required = (kind: string): readonly AffinityTerm[] =>
    objectsAt(object, `spec.affinity.${kind}.${REQUIRED}`).map((term) =>
      readAffinityTerm(term, namespace),
    );
  const preferred = (kind: string): readonly WeightedTerm[] =>
    objectsAt(object, `spec.affinity.${kind}.${PREFERRED}`).map((weighted) => ({
      weight: readNumber(weighted['weight']),
      term: readAffinityTerm(structAt(weighted, 'podAffinityTerm'), namespace),
    }));
  return {
    key,
    object,
    namespace,
    name: nameOf(object),
    uid: textOf(metadataOf(object)['uid']),
    labels: labelsOf(object),
    nodeName: textAt(object, 'spec.nodeName'),
    priority: numberAt(object, 'spec.priority'),
    isBeingDeleted: metadataOf(object)['deletionTimestamp'] !== undefined,
    ...amountsOfPod(object),
    hostPorts: readPorts(object, 'hostPort'),
    containerPorts: readPorts(object, 'containerPort'),
    tolerations: objectsAt(object, 'spec.tolerations'),
    affinity: required('podAffinity'),
    antiAffinity: required('podAntiAffinity'),
    preferredAffinity: preferred('podAffinity'),
    preferredAntiAffinity: preferred('podAntiAffinity'),
    claimNames: objectsAt(object, 'spec.volumes').flatMap((volume) => {
      return textAt(volume, 'persistentVolumeClaim.claimName') || [];
    }),
    startTime: textAt(object, 'status.startTime'),
  };
}

/** The ports of containers and of sidecars, which run beside them. */
function readPorts(pod: JsonObject, field: 'hostPort' | 'containerPort'): readonly HostPort[] {
  const sidecars = objectsAt(pod, 'spec.initContainers').filter(
    ({ restartPolicy }) => restartPolicy === 'Always',
  );
  return [...objectsAt(pod, 'spec.containers'), ...sidecars].flatMap((container) =>
    objectsAt(container, 'ports').flatMap((declared) => {
      const port = readNumber(declared[field]);
      if (port <= 0) return [];
      const protocol = readText(declared['protocol']) || 'TCP';
      const hostIP = field === 'hostPort' ? readText(declared['hostIP']) : '';
      return { ip: hostIP || '0.0.0.0', protocol, port };
    }),
  );
}

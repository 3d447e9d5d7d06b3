/** A pod as the scheduler sees it: what it asks of a node and of its neighbours, read once. */
import {
  selectorFromObject,
  type Labels,
  type LabelSelector,
} from '../../../api/label-selector.ts';
import { PodkeepError } from '../../../lib/errors.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { numberAt, objectsAt, textAt } from '../../kinds/field-path.ts';
import {
  readNumber,
  readObject,
  readText,
  readTexts,
  type Value,
} from '../../kinds/validation/json-reading.ts';
import { metadataOf, textOf } from '../../metadata.ts';
import { labelsOf } from '../object-labels.ts';
import { requestsOfPod } from '../pod-requests.ts';
import { countAmounts, type Amounts } from './amounts.ts';
import { assumedUse } from './scoring.ts';

export interface PodView {
  /** In the store. */
  readonly key: string;
  readonly object: JsonObject;
  readonly namespace: string;
  readonly labels: Labels;
  /** Empty: it has none yet. */
  readonly nodeName: string;
  readonly priority: number;
  readonly isBeingDeleted: boolean;
  readonly requests: Amounts;
  /** What it is expected to use, for the choice among nodes. */
  readonly assumed: Amounts;
  readonly hostPorts: readonly HostPort[];
  readonly tolerations: readonly JsonObject[];
  readonly affinity: readonly AffinityTerm[];
  readonly antiAffinity: readonly AffinityTerm[];
}

export interface HostPort {
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

/** Which pods in which namespaces, near in the sense of which label of nodes. */
export interface AffinityTerm {
  readonly selector: LabelSelector | null;
  readonly namespaces: ReadonlySet<string>;
  /** Null: none beyond those that are named. */
  readonly namespaceSelector: LabelSelector | null;
  readonly topologyKey: string;
}

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';

export function viewPod(key: string, object: JsonObject): PodView {
  const namespace = textOf(metadataOf(object)['namespace']);
  const terms = (kind: string): readonly AffinityTerm[] =>
    objectsAt(object, `spec.affinity.${kind}.${REQUIRED}`).map((term) => readTerm(term, namespace));
  const requests = countAmounts(requestsOfPod(object));
  return {
    key,
    object,
    namespace,
    labels: labelsOf(object),
    nodeName: textAt(object, 'spec.nodeName'),
    priority: numberAt(object, 'spec.priority'),
    isBeingDeleted: metadataOf(object)['deletionTimestamp'] !== undefined,
    requests,
    assumed: assumedUse(object, requests),
    hostPorts: readHostPorts(object),
    tolerations: objectsAt(object, 'spec.tolerations'),
    affinity: terms('podAffinity'),
    antiAffinity: terms('podAntiAffinity'),
  };
}

/** Null: no selector, or one that says nothing; it selects nothing. */
export function readSelector(value: Value): LabelSelector | null {
  const given = readObject(value);
  if (!given) return null;
  try {
    return selectorFromObject(given);
  } catch (error) {
    if (error instanceof PodkeepError) return null;
    throw error;
  }
}

/** Its own namespace is meant if no other is said. */
function readTerm(term: JsonObject, namespace: string): AffinityTerm {
  const named = readTexts(term['namespaces']);
  const namespaceSelector = readSelector(term['namespaceSelector']);
  const isOwn = named.length === 0 && namespaceSelector === null;
  return {
    selector: readSelector(term['labelSelector']),
    namespaces: new Set(isOwn ? [namespace] : named),
    namespaceSelector,
    topologyKey: readText(term['topologyKey']),
  };
}

/** Those of containers and of sidecars, which run beside them. */
function readHostPorts(pod: JsonObject): readonly HostPort[] {
  const sidecars = objectsAt(pod, 'spec.initContainers').filter(
    ({ restartPolicy }) => restartPolicy === 'Always',
  );
  return [...objectsAt(pod, 'spec.containers'), ...sidecars].flatMap((container) =>
    objectsAt(container, 'ports').flatMap(({ hostIP, protocol, hostPort }) => {
      const port = readNumber(hostPort);
      if (port <= 0) return [];
      return { ip: readText(hostIP) || '0.0.0.0', protocol: readText(protocol) || 'TCP', port };
    }),
  );
}

/** The columns that kubectl prints for pods, and the row condition of finished pods. */
import { formatHumanDuration } from '../../../api/values/human-duration.ts';
import { parseTime } from '../../../api/values/time.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { Column } from '../../objects/kind.ts';
import { readObjects, readStruct, readText } from '../../../api/validation/json-reading.ts';
import type { Value } from '../../../api/validation/json-reading.ts';
import { printStatus } from './status/printed-status.ts';

const NONE = '<none>';

export const POD_COLUMNS: readonly Column[] = [
  {
    name: 'Name',
    type: 'string',
    format: 'name',
    priority: 0,
    description:
      'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names',
    cell: (pod) => readText(readStruct(pod['metadata'])['name']),
  },
  {
    name: 'Ready',
    type: 'string',
    priority: 0,
    description: 'The aggregate readiness state of this pod for accepting traffic.',
    cell: (pod) => {
      const { ready, total } = printStatus(pod);
      return `${ready}/${total}`;
    },
  },
  {
    name: 'Status',
    type: 'string',
    priority: 0,
    description: 'The aggregate status of the containers in this pod.',
    cell: (pod) => printStatus(pod).status,
  },
  {
    name: 'Restarts',
    type: 'string',
    priority: 0,
    description:
      'The number of times the containers in this pod have been restarted and when the last container in this pod has restarted.',
    cell: printRestarts,
  },
  {
    name: 'Age',
    type: 'string',
    priority: 0,
    description:
      'CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata',
    cell: (pod, nowMs) => printAge(readStruct(pod['metadata'])['creationTimestamp'], nowMs),
  },
  {
    name: 'IP',
    type: 'string',
    priority: 1,
    description:
      'podIP address allocated to the pod. Routable at least within the cluster. Empty if not yet allocated.',
    cell: (pod) => {
      const [first] = readObjects(readStruct(pod['status'])['podIPs']);
      return readText(first?.['ip']) || NONE;
    },
  },
  {
    name: 'Node',
    type: 'string',
    priority: 1,
    description:
      'NodeName indicates in which node this pod is scheduled. If empty, this pod is a candidate for scheduling by the scheduler defined in schedulerName. Once this field is set, the kubelet for this node becomes responsible for the lifecycle of this pod. This field should not be used to express a desire for the pod to be scheduled on a specific node. https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#nodename',
    cell: (pod) => readText(readStruct(pod['spec'])['nodeName']) || NONE,
  },
  {
    name: 'Nominated Node',
    type: 'string',
    priority: 1,
    description:
      'nominatedNodeName is set only when this pod preempts other pods on the node, but it cannot be scheduled right away as preemption victims receive their graceful termination periods. This field does not guarantee that the pod will be scheduled on this node. Scheduler may decide to place the pod elsewhere if other nodes become available sooner. Scheduler may also decide to give the resources on this node to a higher priority pod that is created after preemption. As a result, this field may be different than PodSpec.nodeName when the pod is scheduled.',
    cell: (pod) => readText(readStruct(pod['status'])['nominatedNodeName']) || NONE,
  },
  {
    name: 'Readiness Gates',
    type: 'string',
    priority: 1,
    description:
      'If specified, all readiness gates will be evaluated for pod readiness. A pod is ready when all its containers are ready AND all conditions specified in the readiness gates have status equal to "True" More info: https://git.k8s.io/enhancements/keps/sig-network/580-pod-readiness-gates',
    cell: printReadinessGates,
  },
];

/** Marks the row so that kubectl can hide or grey out finished pods. */
export function podRowConditions(pod: JsonObject): readonly JsonObject[] {
  const { phase } = readStruct(pod['status']);
  if (phase === 'Succeeded') {
    const message = 'The pod has completed successfully.';
    return [{ type: 'Completed', status: 'True', reason: 'Succeeded', message }];
  }
  if (phase !== 'Failed') return [];
  return [{ type: 'Completed', status: 'True', reason: 'Failed', message: 'The pod failed.' }];
}

function printRestarts(pod: JsonObject, nowMs: number): string {
  const { restarts, restartedAt } = printStatus(pod);
  if (restarts === 0 || restartedAt === '') return String(restarts);
  return `${restarts} (${printAge(restartedAt, nowMs)} ago)`;
}

function printAge(time: Value, nowMs: number): string {
  try {
    return formatHumanDuration(nowMs - parseTime(readText(time)).ms);
  } catch {
    return '<unknown>'; // no time, or an unreadable one
  }
}

function printReadinessGates(pod: JsonObject): string {
  const gates = readObjects(readStruct(pod['spec'])['readinessGates']);
  if (gates.length === 0) return NONE;
  const conditions = readObjects(readStruct(pod['status'])['conditions']);
  const open = gates.filter(({ conditionType }) => {
    const condition = conditions.find(({ type }) => type === conditionType);
    return condition?.['status'] === 'True';
  });
  return `${open.length}/${gates.length}`;
}

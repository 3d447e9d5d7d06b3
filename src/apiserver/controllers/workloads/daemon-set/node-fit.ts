/** Decides whether a DaemonSet creates a pod on a node, and whether a pod that runs there stays. */
import type { JsonObject } from '../../../../lib/json.ts';
import { objectsAt, structAt, textAt } from '../../../objects/field-path.ts';
import { nameOf } from '../../../objects/metadata.ts';
import { labelsOf } from '../../../objects/object-labels.ts';
import { wantsNode } from '../../scheduler/node-affinity.ts';
import { readTaint, toleratesAll } from '../../scheduler/taints.ts';
import { daemonSpec } from './daemon-pod.ts';

export interface NodeFit {
  readonly mayStart: boolean;
  /** Also true if only a NoSchedule taint keeps new pods away. */
  readonly mayStay: boolean;
}

const NEITHER: NodeFit = { mayStart: false, mayStay: false };

/** Parses the template once, for many nodes. Cordoned nodes are eligible: daemon pods tolerate that taint. */
export function nodeFitter(set: JsonObject): (node: JsonObject) => NodeFit {
  const spec = daemonSpec(structAt(set, 'spec.template'));
  const tolerations = objectsAt(spec, 'tolerations');
  const only = textAt(spec, 'nodeName');
  return (node) => {
    const identity = { name: nameOf(node), labels: labelsOf(node) };
    if (only !== '' && only !== identity.name) return NEITHER;
    if (!wantsNode({ spec }, identity)) return NEITHER;
    const taints = objectsAt(node, 'spec.taints').map(readTaint);
    const tolerates = (...effects: string[]): boolean => toleratesAll(tolerations, taints, effects);
    return { mayStart: tolerates('NoSchedule', 'NoExecute'), mayStay: tolerates('NoExecute') };
  };
}

/**
 * Computes what the node lifecycle controller writes to a node: conditions when heartbeats are missing, and
 * taints that follow from conditions.
 *
 *     no heartbeat             Ready and the three pressure conditions become Unknown
 *     not ready, unreachable   taints that keep pods away, and after a while evict them
 *     pressure, cordoned       taints that keep pods away
 */
import type { JsonObject } from '../../../lib/json.ts';
import { changeStructAt, objectsAt, structAt, valueAt } from '../../objects/field-path.ts';
import { withField, withoutField } from '../../../api/validation/json-changes.ts';
import { readFlag, readText } from '../../../api/validation/json-reading.ts';
import { metadataOf, textOf } from '../../objects/metadata.ts';

const PREFIX = 'node.kubernetes.io/';
const NOT_READY = `${PREFIX}not-ready`;
const UNREACHABLE = `${PREFIX}unreachable`;
const UNSCHEDULABLE = `${PREFIX}unschedulable`;

/** Conditions that the kubelet reports. The network plugin reports NetworkUnavailable. */
const REPORTED = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'];

/** The taint for a condition, by type and status. */
const TAINTS: ReadonlyMap<string, string> = new Map([
  ['Ready False', NOT_READY],
  ['Ready Unknown', UNREACHABLE],
  ['MemoryPressure True', `${PREFIX}memory-pressure`],
  ['DiskPressure True', `${PREFIX}disk-pressure`],
  ['NetworkUnavailable True', `${PREFIX}network-unavailable`],
  ['PIDPressure True', `${PREFIX}pid-pressure`],
]);
const OURS: ReadonlySet<string> = new Set([...TAINTS.values(), UNSCHEDULABLE]);

export function readyConditionOf(node: JsonObject): JsonObject | undefined {
  return objectsAt(node, 'status.conditions').find(({ type }) => type === 'Ready');
}

export function readyStatusOf(node: JsonObject): string {
  return readText(readyConditionOf(node)?.['status']);
}

/** The node with its conditions Unknown; the very same object if they already are. */
export function silenced(node: JsonObject, now: string): JsonObject {
  const conditions = objectsAt(node, 'status.conditions');
  const known = new Set(conditions.map(({ type }) => type));
  const created = textOf(metadataOf(node)['creationTimestamp']);
  const changed = conditions.map((condition) => {
    const isReported = REPORTED.includes(readText(condition['type']));
    return isReported && condition['status'] !== 'Unknown' ? stopped(condition, now) : condition;
  });
  const added = REPORTED.filter((type) => !known.has(type)).map((type) => ({
    type,
    status: 'Unknown',
    lastHeartbeatTime: created,
    lastTransitionTime: now,
    reason: 'NodeStatusNeverUpdated',
    message: 'Kubelet never posted node status.',
  }));
  const isSame = added.length === 0 && changed.every((one, index) => one === conditions[index]);
  if (isSame) return node;
  return changeStructAt(node, 'status', (status) =>
    withField(status, 'conditions', [...changed, ...added]),
  );
}

function stopped(condition: JsonObject, now: string): JsonObject {
  return {
    ...condition,
    status: 'Unknown',
    lastTransitionTime: now,
    reason: 'NodeStatusUnknown',
    message: 'Kubelet stopped posting node status.',
  };
}

/** The node with the taints that its conditions require, and without this controller's other taints. */
export function tainted(node: JsonObject, now: string): JsonObject {
  const taints = objectsAt(node, 'spec.taints');
  const wanted = wantedTaints(node);
  const isWanted = (taint: JsonObject): boolean => wanted.has(nameOfTaint(taint));
  const kept = taints.filter((taint) => !isOurs(taint) || isWanted(taint));
  const known = new Set(taints.map(nameOfTaint));
  const added = [...wanted].flatMap(([name, taint]) =>
    known.has(name) ? [] : { ...taint, timeAdded: now },
  );
  if (added.length === 0 && kept.length === taints.length) return node;
  const next = [...kept, ...added];
  return changeStructAt(node, 'spec', (spec) =>
    next.length > 0 ? withField(spec, 'taints', next) : withoutField(spec, 'taints'),
  );
}

function wantedTaints(node: JsonObject): ReadonlyMap<string, JsonObject> {
  const keys = objectsAt(node, 'status.conditions').flatMap(
    ({ type, status }) => TAINTS.get(`${readText(type)} ${readText(status)}`) ?? [],
  );
  if (readFlag(valueAt(node, 'spec.unschedulable'))) keys.push(UNSCHEDULABLE);
  const taints = keys.flatMap((key) => [
    { key, effect: 'NoSchedule' },
    ...(key === NOT_READY || key === UNREACHABLE ? [{ key, effect: 'NoExecute' }] : []),
  ]);
  return new Map(taints.map((taint) => [nameOfTaint(taint), taint]));
}

/** Other components may use the same keys with other effects. */
function isOurs(taint: JsonObject): boolean {
  const [key, effect] = [readText(taint['key']), taint['effect']];
  if (effect === 'NoSchedule') return OURS.has(key);
  return effect === 'NoExecute' && (key === NOT_READY || key === UNREACHABLE);
}

function nameOfTaint(taint: JsonObject): string {
  return `${readText(taint['key'])}:${readText(taint['effect'])}`;
}

/** A pod on a lost node is not ready, whatever it reported last. The very same object if it is not Ready. */
export function unready(pod: JsonObject, now: string): JsonObject {
  const conditions = objectsAt(pod, 'status.conditions');
  const index = conditions.findIndex(({ type, status }) => type === 'Ready' && status === 'True');
  const ready = conditions[index];
  if (!ready) return pod;
  const changed = { ...ready, status: 'False', lastTransitionTime: now };
  const status = structAt(pod, 'status');
  return { ...pod, status: withField(status, 'conditions', conditions.with(index, changed)) };
}

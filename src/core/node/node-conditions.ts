/**
 * Computes the conditions of a node, with the messages and in the order of Kubernetes' kubelet.
 *
 *     MemoryPressure  DiskPressure  PIDPressure  Ready
 *
 * Conditions keep their positions in the list, and conditions of other components are not touched. Ready is
 * added last, as in Kubernetes' kubelet, because old controllers took the last condition for Ready. A
 * pressure keeps its reason and message as long as its status does not change; Ready gets the current ones
 * each time. lastTransitionTime changes only with the status.
 */
import type { Time } from '../../api/meta.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import type { Pressure } from '../eviction/eviction-signal.ts';

/** An Event to record about the node, by its reason. */
export type ConditionEvent =
  | 'NodeHasSufficientMemory'
  | 'NodeHasInsufficientMemory'
  | 'NodeHasNoDiskPressure'
  | 'NodeHasDiskPressure'
  | 'NodeHasSufficientPID'
  | 'NodeHasInsufficientPID'
  | 'NodeReady'
  | 'NodeNotReady';

export interface ConditionFacts {
  readonly pressures: ReadonlySet<Pressure>;
  /** Why the node is not ready, the gravest first. Empty: it is ready. */
  readonly reasons: readonly string[];
}

interface ConditionText {
  readonly reason: string;
  readonly message: string;
  readonly nodeEvents: ConditionEvent;
}

const PRESSURES: readonly { type: Pressure; under: ConditionText; free: ConditionText }[] = [
  {
    type: 'MemoryPressure',
    under: {
      reason: 'KubeletHasInsufficientMemory',
      message: 'kubelet has insufficient memory available',
      nodeEvents: 'NodeHasInsufficientMemory',
    },
    free: {
      reason: 'KubeletHasSufficientMemory',
      message: 'kubelet has sufficient memory available',
      nodeEvents: 'NodeHasSufficientMemory',
    },
  },
  {
    type: 'DiskPressure',
    under: {
      reason: 'KubeletHasDiskPressure',
      message: 'kubelet has disk pressure',
      nodeEvents: 'NodeHasDiskPressure',
    },
    free: {
      reason: 'KubeletHasNoDiskPressure',
      message: 'kubelet has no disk pressure',
      nodeEvents: 'NodeHasNoDiskPressure',
    },
  },
  {
    type: 'PIDPressure',
    under: {
      reason: 'KubeletHasInsufficientPID',
      message: 'kubelet has insufficient PID available',
      nodeEvents: 'NodeHasInsufficientPID',
    },
    free: {
      reason: 'KubeletHasSufficientPID',
      message: 'kubelet has sufficient PID available',
      nodeEvents: 'NodeHasSufficientPID',
    },
  },
];

export function nodeConditions(
  before: Json | undefined,
  { pressures, reasons }: ConditionFacts,
  now: Time,
): { readonly conditions: readonly JsonObject[]; readonly nodeEvents: readonly ConditionEvent[] } {
  const nodeEvents: ConditionEvent[] = [];
  let conditions = conditionsIn(before);
  for (const { type, under, free } of PRESSURES) {
    const isUnder = pressures.has(type);
    const old = conditions.find((one) => one['type'] === type);
    const { condition, isNew } = pressureCondition(old, type, isUnder, isUnder ? under : free, now);
    if (isNew) nodeEvents.push(isUnder ? under.nodeEvents : free.nodeEvents);
    conditions = put(conditions, condition);
  }
  const old = conditions.find(({ type }) => type === 'Ready');
  const ready = readyCondition(old, reasons, now);
  if (isTurn(old, ready))
    nodeEvents.push(ready['status'] === 'True' ? 'NodeReady' : 'NodeNotReady');
  return { conditions: put(conditions, ready), nodeEvents };
}

export function isReady(status: JsonObject): boolean {
  return conditionsIn(status['conditions']).some(
    (one) => one['type'] === 'Ready' && one['status'] === 'True',
  );
}

export function conditionsIn(value: Json | undefined): readonly JsonObject[] {
  if (!Array.isArray(value)) return [];
  const list: readonly Json[] = value;
  return list.filter(isJsonObject);
}

function pressureCondition(
  old: JsonObject | undefined,
  type: Pressure,
  isUnder: boolean,
  { reason, message }: ConditionText,
  now: Time,
): { readonly condition: JsonObject; readonly isNew: boolean } {
  const status = isUnder ? 'True' : 'False';
  if (old?.['status'] === status) {
    return { condition: { ...old, lastHeartbeatTime: now }, isNew: false };
  }
  const times = { lastHeartbeatTime: now, lastTransitionTime: now };
  return { condition: { ...old, type, status, ...times, reason, message }, isNew: true };
}

function readyCondition(
  old: JsonObject | undefined,
  reasons: readonly string[],
  now: Time,
): JsonObject {
  const isReady = reasons.length === 0;
  const status = isReady ? 'True' : 'False';
  const since = old?.['status'] === status ? old['lastTransitionTime'] : now;
  return {
    type: 'Ready',
    status,
    lastHeartbeatTime: now,
    lastTransitionTime: since ?? now,
    reason: isReady ? 'KubeletReady' : 'KubeletNotReady',
    message: isReady ? 'kubelet is posting ready status' : joined(reasons),
  };
}

/** As Go prints aggregated errors: each text once, in brackets if there are several. */
function joined(reasons: readonly string[]): string {
  const distinct = [...new Set(reasons)];
  return distinct.length === 1 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]`;
}

/**
 * Whether to record an Event for the condition Ready. The kubelet starts as not ready, and records no Event
 * for that; podkeep may be ready from the start, and then records NodeReady, as the kubelet does later.
 */
function isTurn(old: JsonObject | undefined, ready: JsonObject): boolean {
  return old ? old['status'] !== ready['status'] : ready['status'] === 'True';
}

function put(conditions: readonly JsonObject[], condition: JsonObject): readonly JsonObject[] {
  const index = conditions.findIndex(({ type }) => type === condition['type']);
  return index < 0 ? [...conditions, condition] : conditions.with(index, condition);
}

/**
 * The conditions of a node, in the kubelet's words and order.
 *
 *     MemoryPressure  DiskPressure  PIDPressure  Ready
 *
 * They are changed where they stand, and conditions of others stay where they are. Ready is the last
 * that a kubelet adds: old controllers took the last one for it. A pressure keeps its words while its
 * status stays; Ready says what is true now each time. Only another status moves lastTransitionTime.
 */
import type { Time } from '../../api/meta.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import type { Pressure } from './eviction-threshold.ts';

/** What the users of the node are told, as an event of that reason. */
export type ConditionNews =
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
  /** Why the node is not ready, the gravest first. Empty: it is. */
  readonly reasons: readonly string[];
}

interface Words {
  readonly reason: string;
  readonly message: string;
  readonly news: ConditionNews;
}

const PRESSURES: readonly { type: Pressure; under: Words; free: Words }[] = [
  {
    type: 'MemoryPressure',
    under: {
      reason: 'KubeletHasInsufficientMemory',
      message: 'kubelet has insufficient memory available',
      news: 'NodeHasInsufficientMemory',
    },
    free: {
      reason: 'KubeletHasSufficientMemory',
      message: 'kubelet has sufficient memory available',
      news: 'NodeHasSufficientMemory',
    },
  },
  {
    type: 'DiskPressure',
    under: {
      reason: 'KubeletHasDiskPressure',
      message: 'kubelet has disk pressure',
      news: 'NodeHasDiskPressure',
    },
    free: {
      reason: 'KubeletHasNoDiskPressure',
      message: 'kubelet has no disk pressure',
      news: 'NodeHasNoDiskPressure',
    },
  },
  {
    type: 'PIDPressure',
    under: {
      reason: 'KubeletHasInsufficientPID',
      message: 'kubelet has insufficient PID available',
      news: 'NodeHasInsufficientPID',
    },
    free: {
      reason: 'KubeletHasSufficientPID',
      message: 'kubelet has sufficient PID available',
      news: 'NodeHasSufficientPID',
    },
  },
];

export function nodeConditions(
  before: Json | undefined,
  { pressures, reasons }: ConditionFacts,
  now: Time,
): { readonly conditions: readonly JsonObject[]; readonly news: readonly ConditionNews[] } {
  const news: ConditionNews[] = [];
  let conditions = conditionsIn(before);
  for (const { type, under, free } of PRESSURES) {
    const isUnder = pressures.has(type);
    const old = conditions.find((one) => one['type'] === type);
    const { condition, isNew } = pressureCondition(old, type, isUnder, isUnder ? under : free, now);
    if (isNew) news.push(isUnder ? under.news : free.news);
    conditions = put(conditions, condition);
  }
  const old = conditions.find(({ type }) => type === 'Ready');
  const ready = readyCondition(old, reasons, now);
  if (isTurn(old, ready)) news.push(ready['status'] === 'True' ? 'NodeReady' : 'NodeNotReady');
  return { conditions: put(conditions, ready), news };
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
  { reason, message }: Words,
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

/** As Go prints several errors: each once, in brackets if there are two. */
function joined(reasons: readonly string[]): string {
  const distinct = [...new Set(reasons)];
  return distinct.length === 1 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]`;
}

/**
 * Whether it is worth an event. A kubelet begins as not ready and tells nobody; podkeep may be ready
 * from the start, and then people should hear of it as they do with a kubelet.
 */
function isTurn(old: JsonObject | undefined, ready: JsonObject): boolean {
  return old ? old['status'] !== ready['status'] : ready['status'] === 'True';
}

function put(conditions: readonly JsonObject[], condition: JsonObject): readonly JsonObject[] {
  const index = conditions.findIndex(({ type }) => type === condition['type']);
  return index < 0 ? [...conditions, condition] : conditions.with(index, condition);
}

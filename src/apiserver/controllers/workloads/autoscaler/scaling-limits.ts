/**
 * Limits a recommended number of replicas: first by stabilization windows, then by rates, then by minReplicas
 * and maxReplicas.
 *
 *     without behavior ──> the highest recommendation of the last five minutes; at most double, or four
 *     with behavior ─────> windows and policies of each direction; `selectPolicy: Disabled` forbids a direction
 */
import { readNumber, readStruct, readText } from '../../../../api/validation/json-reading.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import { structAt, valueAt } from '../../../objects/field-path.ts';
import {
  changeWithin,
  highestOf,
  lowestOf,
  policiesOf,
  type ScalingHistory,
  type TimedNumber,
} from './scaling-history.ts';

export interface LimitedScale {
  readonly replicas: number;
  readonly able: LimitReason;
  readonly limited: LimitReason & { readonly isLimited: boolean };
}

export interface LimitReason {
  readonly reason: string;
  readonly message: string;
}

export interface ScaleBounds {
  readonly min: number;
  readonly max: number;
  readonly current: number;
}

const SECOND_MS = 1000;
const DOWN_WINDOW_SECONDS = 300;
const UP_FACTOR = 2;
const UP_MINIMUM = 4;

const READY: LimitReason = {
  reason: 'ReadyForNewScale',
  message: 'recommended size matches current size',
};
const DOWN_STABILIZED: LimitReason = {
  reason: 'ScaleDownStabilized',
  message:
    'recent recommendations were higher than current one, applying the highest recent recommendation',
};
const UP_STABILIZED: LimitReason = {
  reason: 'ScaleUpStabilized',
  message:
    'recent recommendations were lower than current one, applying the lowest recent recommendation',
};
const WITHIN: LimitReason = {
  reason: 'DesiredWithinRange',
  message: 'the desired count is within the acceptable range',
};
const TOO_FEW: LimitReason = {
  reason: 'TooFewReplicas',
  message: 'the desired replica count is less than the minimum replica count',
};
const TOO_MANY: LimitReason = {
  reason: 'TooManyReplicas',
  message: 'the desired replica count is more than the maximum replica count',
};
const UP_LIMIT: LimitReason = {
  reason: 'ScaleUpLimit',
  message: 'the desired replica count is increasing faster than the maximum scale rate',
};
const DOWN_LIMIT: LimitReason = {
  reason: 'ScaleDownLimit',
  message: 'the desired replica count is decreasing faster than the maximum scale rate',
};

/** `behavior`: null: the spec has none. */
export function limitScale(
  desired: number,
  bounds: ScaleBounds,
  behavior: JsonObject | null,
  history: ScalingHistory,
  nowMs: number,
): LimitedScale {
  const stable = behavior
    ? stabilizedByRules(desired, bounds.current, behavior, history, nowMs)
    : highestOf([desired, ...recent(history.recommendations, DOWN_WINDOW_SECONDS, nowMs)]);
  const isUp = behavior !== null && desired >= bounds.current;
  const stabilized = isUp ? UP_STABILIZED : DOWN_STABILIZED;
  const { replicas, why } = behavior
    ? withinRates(stable, bounds, behavior, history, nowMs)
    : withinBounds(stable, bounds);
  return {
    replicas,
    able: stable === desired ? READY : stabilized,
    limited: { ...why, isLimited: replicas !== stable },
  };
}

function recent(list: readonly TimedNumber[], seconds: number, nowMs: number): readonly number[] {
  return list
    .filter(({ timeMs }) => timeMs > nowMs - seconds * SECOND_MS)
    .map(({ number }) => number);
}

function stabilizedByRules(
  desired: number,
  current: number,
  behavior: JsonObject,
  { recommendations }: ScalingHistory,
  nowMs: number,
): number {
  const upSeconds = readNumber(valueAt(behavior, 'scaleUp.stabilizationWindowSeconds'));
  const down = valueAt(behavior, 'scaleDown.stabilizationWindowSeconds');
  const downSeconds = typeof down === 'number' ? down : DOWN_WINDOW_SECONDS;
  const lowest = lowestOf([desired, ...recent(recommendations, upSeconds, nowMs)]);
  const highest = highestOf([desired, ...recent(recommendations, downSeconds, nowMs)]);
  return Math.min(Math.max(current, lowest), highest);
}

interface Bounded {
  readonly replicas: number;
  readonly why: LimitReason;
}

function withinBounds(desired: number, { min, max, current }: ScaleBounds): Bounded {
  const limit = Math.max(UP_FACTOR * current, UP_MINIMUM);
  if (desired < min) return { replicas: min, why: TOO_FEW };
  const highest = Math.min(max, limit);
  if (desired <= highest) return { replicas: desired, why: WITHIN };
  return { replicas: highest, why: max > limit ? UP_LIMIT : TOO_MANY };
}

function withinRates(
  desired: number,
  { min, max, current }: ScaleBounds,
  behavior: JsonObject,
  history: ScalingHistory,
  nowMs: number,
): Bounded {
  if (desired > current) {
    const rules = structAt(behavior, 'scaleUp');
    const limit = Math.max(rateLimit(current, rules, history, nowMs, 1), current);
    const highest = Math.min(max, limit);
    if (desired > highest) return { replicas: highest, why: max > limit ? UP_LIMIT : TOO_MANY };
  }
  if (desired < current) {
    const rules = structAt(behavior, 'scaleDown');
    const limit = Math.min(rateLimit(current, rules, history, nowMs, -1), current);
    const lowest = Math.max(min, limit);
    if (desired < lowest) return { replicas: lowest, why: min < limit ? DOWN_LIMIT : TOO_FEW };
  }
  return { replicas: desired, why: WITHIN };
}

/** The number of replicas that the policies allow. `direction`: 1 is up, -1 is down. */
function rateLimit(
  current: number,
  rules: JsonObject,
  { ups, downs }: ScalingHistory,
  nowMs: number,
  direction: 1 | -1,
): number {
  const select = readText(rules['selectPolicy']);
  if (select === 'Disabled') return current;
  const proposals = policiesOf(rules).map((policy) => {
    const { type, value, periodSeconds } = readStruct(policy);
    const seconds = readNumber(periodSeconds);
    const start = current - changeWithin(ups, seconds, nowMs) + changeWithin(downs, seconds, nowMs);
    const amount = readNumber(value);
    if (readText(type) === 'Pods') return start + direction * amount;
    const scaled = start * (1 + (direction * amount) / 100);
    return direction === 1 ? Math.ceil(scaled) : Math.trunc(scaled);
  });
  if (proposals.length === 0) return current;
  // The largest change is the highest number when scaling up, and the lowest when scaling down.
  const isHighest = (direction === 1) === (select !== 'Min');
  return isHighest ? highestOf(proposals) : lowestOf(proposals);
}

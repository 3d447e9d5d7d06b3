/**
 * Decides the desired replicas of an autoscaler's target, and the status of the autoscaler.
 *
 *     target has 0 replicas ──────────> ScalingDisabled
 *     outside minReplicas..maxReplicas > to the bound, whatever the metrics say
 *     otherwise ──────────────────────> by the metrics, within windows, rates and bounds
 */
import type { JsonObject } from '../../../../lib/json.ts';
import { readObject } from '../../../../api/validation/json-reading.ts';
import { numberAt, objectsAt, valueAt } from '../../../objects/field-path.ts';
import type { EventText } from '../../event-recorder.ts';
import { withAutoscalerCondition, type AutoscalerCondition } from './autoscaler-conditions.ts';
import { proposeReplicas, type Proposals } from './metric-proposals.ts';
import { withRecommendation, type ScalingHistory } from './scaling-history.ts';
import { limitScale } from './scaling-limits.ts';

export interface AutoscalerView {
  readonly autoscaler: JsonObject;
  readonly replicas: number;
  readonly pods: readonly JsonObject[];
  readonly metrics: readonly JsonObject[] | string;
  /** Why the selector of the target cannot be used. Null: it can. */
  readonly selectorProblem: (EventText & { readonly condition: string }) | null;
  readonly history: ScalingHistory;
  readonly nowMs: number;
}

export interface AutoscalerPlan {
  readonly replicas: number;
  /** The reason for scaling. Null: the target keeps its size. */
  readonly rescale: string | null;
  readonly conditions: readonly JsonObject[];
  readonly currentMetrics: readonly JsonObject[];
  readonly events: readonly EventText[];
  readonly history: ScalingHistory;
  /** True: nothing could be computed, and the status keeps its desiredReplicas. */
  readonly isFailed: boolean;
}

const GOT_SCALE = "the HPA controller was able to get the target's current scale";
const AT_ZERO = 'scaling is disabled since the replica count of the target is zero';

export function planAutoscaler(view: AutoscalerView): AutoscalerPlan {
  const { autoscaler, replicas, nowMs } = view;
  const able = {
    type: 'AbleToScale',
    isTrue: true,
    reason: 'SucceededGetScale',
    message: GOT_SCALE,
  } as const;
  const conditions = withAutoscalerCondition(
    objectsAt(autoscaler, 'status.conditions'),
    able,
    nowMs,
  );
  const { min, max } = boundsOf(autoscaler);
  const still = {
    replicas,
    rescale: null,
    conditions,
    currentMetrics: [],
    events: [],
    history: view.history,
    isFailed: false,
  };
  if (replicas === 0) {
    const off = {
      type: 'ScalingActive',
      isTrue: false,
      reason: 'ScalingDisabled',
      message: AT_ZERO,
    } as const;
    return { ...still, conditions: withAutoscalerCondition(conditions, off, nowMs) };
  }
  if (replicas > max) {
    const rescale = 'Current number of replicas above Spec.MaxReplicas';
    return { ...still, replicas: max, rescale };
  }
  if (replicas < min) {
    const rescale = 'Current number of replicas below Spec.MinReplicas';
    return { ...still, replicas: min, rescale };
  }
  return planByMetrics(view, still);
}

export function boundsOf(autoscaler: JsonObject): { readonly min: number; readonly max: number } {
  const min = valueAt(autoscaler, 'spec.minReplicas');
  return { min: typeof min === 'number' ? min : 1, max: numberAt(autoscaler, 'spec.maxReplicas') };
}

function planByMetrics(view: AutoscalerView, still: AutoscalerPlan): AutoscalerPlan {
  const { autoscaler, replicas, nowMs, history, selectorProblem } = view;
  if (selectorProblem) {
    const { condition, ...event } = selectorProblem;
    const active = inactive(
      event.reason === 'SelectorRequired' ? 'InvalidSelector' : event.reason,
      condition,
    );
    return failed(still, active, [event, computeFailed(event.message)], nowMs);
  }
  const proposals = proposeReplicas(view);
  const events = proposals.failures.map(({ reason, message }): EventText => ({
    type: 'Warning',
    reason,
    message,
  }));
  const measured = { ...still, currentMetrics: proposals.statuses, events };
  if (proposals.replicas === null) {
    const [first] = proposals.failures;
    const why = `the HPA was unable to compute the replica count: ${first?.message ?? ''}`;
    const all = [...events, computeFailed(proposals.error ?? '')];
    return failed(measured, inactive(first?.reason ?? '', why), all, nowMs);
  }
  const bounds = { ...boundsOf(autoscaler), current: replicas };
  const behavior = readObject(valueAt(autoscaler, 'spec.behavior')) ?? null;
  const desired = proposals.replicas;
  const limited = limitScale(desired, bounds, behavior, history, nowMs);
  const conditions = [
    active(proposals),
    { type: 'AbleToScale', isTrue: true, ...limited.able } as const,
    {
      type: 'ScalingLimited',
      isTrue: limited.limited.isLimited,
      reason: limited.limited.reason,
      message: limited.limited.message,
    } as const,
  ].reduce((list, one) => withAutoscalerCondition(list, one, nowMs), still.conditions);
  const reason =
    desired > replicas ? `${proposals.metric} above target` : 'All metrics below target';
  return {
    ...measured,
    replicas: limited.replicas,
    rescale: limited.replicas === replicas ? null : reason,
    conditions,
    history: withRecommendation(history, desired, nowMs),
  };
}

function failed(
  plan: AutoscalerPlan,
  condition: AutoscalerCondition,
  events: readonly EventText[],
  nowMs: number,
): AutoscalerPlan {
  const conditions = withAutoscalerCondition(plan.conditions, condition, nowMs);
  return { ...plan, conditions, events, isFailed: true };
}

function active({ metric }: Proposals): AutoscalerCondition {
  const message = `the HPA was able to successfully calculate a replica count from ${metric}`;
  return { type: 'ScalingActive', isTrue: true, reason: 'ValidMetricFound', message };
}

function inactive(reason: string, message: string): AutoscalerCondition {
  return { type: 'ScalingActive', isTrue: false, reason, message };
}

function computeFailed(message: string): EventText {
  return { type: 'Warning', reason: 'FailedComputeMetricsReplicas', message };
}

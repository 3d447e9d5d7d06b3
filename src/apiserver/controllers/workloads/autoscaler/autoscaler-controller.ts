/**
 * HorizontalPodAutoscaler controller: every 15 seconds it reads the usage of each target's pods from the
 * metrics API and scales the target (autoscaler-plan.ts). A change of an autoscaler's spec triggers a sync at
 * once; a change of its status does not.
 */
import { formatTime } from '../../../../api/values/time.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import { jsonEqual } from '../../../../api/values/json-equal.ts';
import { horizontalPodAutoscalers } from '../../../kinds/autoscaling/horizontal-pod-autoscaler.ts';
import { replayed } from '../../../objects/conversion-replay.ts';
import { numberAt, objectsAt, structAt, textAt } from '../../../objects/field-path.ts';
import { StatusError } from '../../../objects/status.ts';
import type { ServerParts } from '../../../registry/server-parts.ts';
import type { Controller } from '../../controller.ts';
import { writeStatus } from '../shared/exact-update.ts';
import { messageOf } from '../shared/pod-control.ts';
import { NamespacePods } from '../shared/namespace-pods.ts';
import { WorkloadDriver } from '../shared/workload-driver.ts';
import { WorkloadEvents } from '../shared/workload-events.ts';
import { withAutoscalerCondition } from './autoscaler-conditions.ts';
import { planAutoscaler, type AutoscalerPlan } from './autoscaler-plan.ts';
import { NamespaceMetrics } from './namespace-metrics.ts';
import { RivalIndex } from './rival-index.ts';
import { findScaleTarget, writeTargetScale, type ScaleTarget } from './scale-target.ts';
import { newHistory, SYNC_MS, withRescale, type ScalingHistory } from './scaling-history.ts';
import { targetPods } from './target-pods.ts';

interface Memory {
  readonly spec: JsonObject;
  readonly syncedMs: number;
  readonly history: ScalingHistory | null;
}

export function startAutoscalers({ parts }: { readonly parts: ServerParts }): Controller {
  return new AutoscalerController(parts);
}

class AutoscalerController implements Controller {
  readonly #parts: ServerParts;
  readonly #events: WorkloadEvents;
  readonly #driver: WorkloadDriver;
  readonly #metrics: NamespaceMetrics;
  readonly #reading: { readonly pods: NamespacePods; readonly rivals: RivalIndex };
  readonly #memories = new Map<string, Memory>();

  constructor(parts: ServerParts) {
    this.#parts = parts;
    this.#events = new WorkloadEvents(parts, 'horizontal-pod-autoscaler');
    this.#metrics = new NamespaceMetrics(parts);
    this.#reading = { pods: new NamespacePods(parts), rivals: new RivalIndex(parts) };
    this.#driver = new WorkloadDriver({
      parts,
      name: 'horizontalpodautoscaling',
      definition: horizontalPodAutoscalers,
      events: this.#events,
      owned: [],
      sync: (autoscaler, key) => this.#sync(autoscaler, key),
      forget: (key) => void this.#memories.delete(key),
    });
  }

  async stop(): Promise<void> {
    await this.#driver.stop();
    this.#reading.pods.stop();
    this.#reading.rivals.stop();
  }

  async #sync(autoscaler: JsonObject, key: string): Promise<number> {
    const nowMs = this.#parts.clock.monotonic();
    const memory = this.#memories.get(key);
    const spec = structAt(autoscaler, 'spec');
    const waitMs = memory ? memory.syncedMs + SYNC_MS - nowMs : 0;
    if (memory && waitMs > 0 && jsonEqual(memory.spec, spec)) return waitMs;
    const history = memory?.history ?? null;
    this.#memories.set(key, { spec, syncedMs: nowMs, history });
    const found = await this.#findTarget(autoscaler);
    if (typeof found === 'string') await this.#reportNoScale(autoscaler, found);
    else await this.#scale(autoscaler, key, found);
    return SYNC_MS;
  }

  /** The webhook that converts the target may fail: then it cannot be scaled. */
  async #findTarget(autoscaler: JsonObject): Promise<ScaleTarget | string> {
    try {
      return await replayed(() => findScaleTarget(this.#parts, autoscaler));
    } catch (error) {
      if (error instanceof StatusError) return error.message;
      throw error;
    }
  }

  async #reportNoScale(autoscaler: JsonObject, why: string): Promise<void> {
    this.#events.warning(autoscaler, 'FailedGetScale', why);
    const conditions = withAutoscalerCondition(
      objectsAt(autoscaler, 'status.conditions'),
      {
        type: 'AbleToScale',
        isTrue: false,
        reason: 'FailedGetScale',
        message: `the HPA controller was unable to get the target's current scale: ${why}`,
      },
      this.#parts.clock.now(),
    );
    await this.#writeStatus(autoscaler, { ...structAt(autoscaler, 'status'), conditions });
  }

  async #scale(autoscaler: JsonObject, key: string, scale: ScaleTarget): Promise<void> {
    const { clock } = this.#parts;
    const { replicas } = scale;
    const { pods, matches, problem } = targetPods(this.#reading, autoscaler, scale.selector);
    const figures = await this.#metrics.in(textAt(autoscaler, 'metadata.namespace'));
    const metrics = typeof figures === 'string' ? figures : figures.filter(matches);
    const nowMs = clock.now();
    const history = this.#memories.get(key)?.history ?? newHistory(replicas, nowMs);
    const view = { autoscaler, replicas, pods, metrics, selectorProblem: problem, history, nowMs };
    const plan = planAutoscaler(view);
    for (const event of plan.events) this.#events.record(autoscaler, event);
    this.#remember(key, plan.history);
    if (plan.rescale !== null && !(await this.#rescale(autoscaler, scale, plan))) return;
    if (plan.rescale !== null) {
      this.#remember(key, withRescale(plan.history, replicas, plan.replicas, nowMs));
    }
    await this.#writeStatus(autoscaler, statusOf(autoscaler, replicas, plan, nowMs));
  }

  #remember(key: string, history: ScalingHistory): void {
    const memory = this.#memories.get(key);
    if (memory) this.#memories.set(key, { ...memory, history });
  }

  /** False: scaling failed, and the status says so. */
  async #rescale(autoscaler: JsonObject, scale: ScaleTarget, plan: AutoscalerPlan) {
    const size = `New size: ${plan.replicas}; reason: ${plan.rescale}`;
    try {
      await writeTargetScale(this.#parts, scale, plan.replicas);
      this.#events.normal(autoscaler, 'SuccessfulRescale', size);
      return true;
    } catch (error) {
      const why = messageOf(error);
      this.#events.warning(autoscaler, 'FailedRescale', `${size}; error: ${why}`);
      const message = `the HPA controller was unable to update the target scale: ${why}`;
      const nowMs = this.#parts.clock.now();
      const conditions = withAutoscalerCondition(
        plan.conditions,
        { type: 'AbleToScale', isTrue: false, reason: 'FailedUpdateScale', message },
        nowMs,
      );
      const failed = { ...plan, conditions, rescale: null, isFailed: true };
      await this.#writeStatus(autoscaler, statusOf(autoscaler, scale.replicas, failed, nowMs));
      return false;
    }
  }

  async #writeStatus(autoscaler: JsonObject, status: JsonObject): Promise<void> {
    await writeStatus(this.#parts, horizontalPodAutoscalers, autoscaler, { ...status });
  }
}

function statusOf(
  autoscaler: JsonObject,
  currentReplicas: number,
  plan: AutoscalerPlan,
  nowMs: number,
): JsonObject {
  const last = textAt(autoscaler, 'status.lastScaleTime');
  const isScaled = plan.rescale !== null;
  const message = `the HPA controller was able to update the target scale to ${plan.replicas}`;
  const conditions = isScaled
    ? withAutoscalerCondition(
        plan.conditions,
        { type: 'AbleToScale', isTrue: true, reason: 'SucceededRescale', message },
        nowMs,
      )
    : plan.conditions;
  return {
    ...(last !== '' && { lastScaleTime: last }),
    ...(isScaled && { lastScaleTime: formatTime(nowMs) }),
    currentReplicas,
    desiredReplicas: plan.isFailed ? numberAt(autoscaler, 'status.desiredReplicas') : plan.replicas,
    currentMetrics: plan.currentMetrics,
    conditions,
  };
}

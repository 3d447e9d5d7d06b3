/**
 * Computes the number of replicas that each metric of an autoscaler proposes, and takes the highest. Metrics
 * that cannot be read are reported. An unreadable metric prevents a scale-down; it prevents a scale-up only
 * if no other metric proposes one.
 */
import { readText } from '../../../../api/validation/json-reading.ts';
import { quantityFromMilli } from '../../../../api/values/quantity.ts';
import { formatQuantity, readQuantity } from '../../../../api/values/quantity-text.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import { objectsAt, structAt, textAt, valueAt } from '../../../objects/field-path.ts';
import { missingMetric } from './missing-metrics.ts';
import { milliAt, podUsages } from './pod-usage.ts';
import {
  calculateReplicas,
  MetricProblem,
  type ReplicaProposal,
  type ResourceTarget,
  type Tolerances,
} from './replica-calculator.ts';

export interface ProposalView {
  readonly autoscaler: JsonObject;
  readonly replicas: number;
  /** The pods that the target selects. */
  readonly pods: readonly JsonObject[];
  /** PodMetrics of these pods. A string: the reason why there are none. */
  readonly metrics: readonly JsonObject[] | string;
  readonly nowMs: number;
}

export interface Proposals {
  /** Null: the target is not scaled. */
  readonly replicas: number | null;
  readonly metric: string;
  readonly statuses: readonly JsonObject[];
  readonly failures: readonly MetricFailure[];
  /** Null: every metric could be read. */
  readonly error: string | null;
}

export interface MetricFailure {
  readonly reason: string;
  readonly message: string;
  /** The error with the step that failed, for the Event about all metrics. */
  readonly summary: string;
}

interface Proposal {
  readonly replicas: number;
  readonly metric: string;
  readonly status: JsonObject;
}

const TOLERANCE = 0.1;
const NO_TARGET =
  'invalid resource metric source: neither an average utilization target nor an average value (usage) target was set';

export function proposeReplicas(view: ProposalView): Proposals {
  const specs = objectsAt(view.autoscaler, 'spec.metrics');
  const results = specs.map((spec) => proposeFor(spec, view));
  const failures = results.flatMap((one) => ('summary' in one ? [one] : []));
  const statuses = results.map((one) => ('summary' in one ? { type: '' } : one.status));
  let best: Proposal | null = null;
  for (const one of results) {
    if (!('summary' in one) && (!best || one.replicas > best.replicas)) best = one;
  }
  const [first] = failures;
  const count = `${failures.length} invalid out of ${specs.length}`;
  const error = first ? `invalid metrics (${count}), first error is: ${first.summary}` : null;
  const isUsable = best && (failures.length === 0 || best.replicas >= view.replicas);
  if (!best || !isUsable) return { replicas: null, metric: '', statuses, failures, error };
  return { replicas: best.replicas, metric: best.metric, statuses, failures, error };
}

function proposeFor(spec: JsonObject, view: ProposalView): Proposal | MetricFailure {
  const type = textAt(spec, 'type');
  if (type === 'Resource') return proposeByResource(spec, 'resource', view);
  if (type === 'ContainerResource') return proposeByResource(spec, 'containerResource', view);
  return missingMetric(spec, textAt(view.autoscaler, 'metadata.namespace'));
}

function proposeByResource(
  spec: JsonObject,
  field: 'resource' | 'containerResource',
  view: ProposalView,
): Proposal | MetricFailure {
  const source = structAt(spec, field);
  const isContainer = field === 'containerResource';
  const resource = readText(source['name']);
  const container = isContainer ? readText(source['container']) : '';
  try {
    const target = targetOf(source, resource, container);
    const proposal = calculate(target, view);
    const current = currentOf(resource, proposal);
    const status = isContainer
      ? { containerResource: { container, current, name: resource }, type: 'ContainerResource' }
      : { resource: { current, name: resource }, type: 'Resource' };
    return { replicas: proposal.replicas, metric: metricName(target, isContainer), status };
  } catch (error) {
    if (!(error instanceof MetricProblem)) throw error;
    return {
      reason: isContainer ? 'FailedGetContainerResourceMetric' : 'FailedGetResourceMetric',
      message: error.message,
      summary: isContainer
        ? `failed to get ${container} container metric value: ${error.message}`
        : `failed to get ${resource} resource metric value: ${error.message}`,
    };
  }
}

function targetOf(source: JsonObject, resource: string, container: string): ResourceTarget {
  const target = structAt(source, 'target');
  const averageMilli = milliAt(target, 'averageValue');
  const { averageUtilization } = target;
  const utilization = typeof averageUtilization === 'number' ? averageUtilization : null;
  if (averageMilli !== null) return { resource, container, averageMilli, utilization: null };
  if (utilization === null) throw new MetricProblem(NO_TARGET);
  return { resource, container, averageMilli, utilization };
}

function calculate(target: ResourceTarget, view: ProposalView): ReplicaProposal {
  const { resource, container, utilization } = target;
  const { replicas, pods, metrics, nowMs } = view;
  const what = utilization === null ? 'usage' : 'utilization';
  try {
    const failed = typeof metrics === 'string' ? metrics : emptyProblem(metrics);
    if (failed !== null) {
      throw new MetricProblem(`unable to get metrics for resource ${resource}: ${failed}`);
    }
    const listed = typeof metrics === 'string' ? [] : metrics;
    const usages = podUsages(listed, resource, container);
    const tolerances = tolerancesOf(view.autoscaler);
    return calculateReplicas(target, { replicas, pods, usages, tolerances, nowMs });
  } catch (error) {
    if (!(error instanceof MetricProblem)) throw error;
    throw new MetricProblem(`failed to get ${resource} ${what}: ${error.message}`);
  }
}

function emptyProblem(metrics: readonly JsonObject[]): string | null {
  return metrics.length === 0 ? 'no metrics returned from resource metrics API' : null;
}

function tolerancesOf(autoscaler: JsonObject): Tolerances {
  const read = (direction: string): number => {
    const given = valueAt(autoscaler, `spec.behavior.${direction}.tolerance`);
    if (typeof given !== 'string' && typeof given !== 'number') return TOLERANCE;
    return Number(readQuantity(given).nanos) / 1e9;
  };
  return { up: read('scaleUp'), down: read('scaleDown') };
}

function currentOf(resource: string, { utilization, averageMilli }: ReplicaProposal): JsonObject {
  const format = resource === 'memory' ? 'BinarySI' : 'DecimalSI';
  return {
    ...(utilization !== null && { averageUtilization: utilization }),
    averageValue: formatQuantity(quantityFromMilli(averageMilli, format)),
  };
}

function metricName({ resource, utilization }: ResourceTarget, isContainer: boolean): string {
  if (utilization === null) return `${resource} resource`;
  const of = isContainer ? 'container resource' : 'resource';
  return `${resource} ${of} utilization (percentage of request)`;
}

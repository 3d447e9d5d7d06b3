/**
 * Computes the number of replicas that a Resource metric proposes: `ceil(replicas × usage ÷ target)`, unless
 * the ratio is within the tolerance.
 *
 *     terminating or failed pods ────────────> do not count
 *     pending, or CPU usage of the start-up ─> not ready: at scale-up they count with usage 0
 *     pods without metrics ──────────────────> count at scale-up with usage 0, at scale-down with full usage
 *
 * If these assumptions reverse the direction, the target is not scaled.
 */
import type { JsonObject } from '../../../../lib/json.ts';
import { objectsAt, structAt, textAt, valueAt } from '../../../objects/field-path.ts';
import { nameOf, textOf } from '../../../objects/metadata.ts';
import { requestsOfPod } from '../../../objects/pod-requests.ts';
import { isBeingDeleted } from '../../garbage/owner-reference.ts';
import { podConditionOf, timeMs } from '../shared/pod-state.ts';
import { milliAt, type PodUsage, type PodUsages } from './pod-usage.ts';

export interface Tolerances {
  readonly up: number;
  readonly down: number;
}

export interface ResourceTarget {
  readonly resource: string;
  /** Empty: the whole pod. */
  readonly container: string;
  /** Percent of the requests; null: `averageMilli` is given. */
  readonly utilization: number | null;
  readonly averageMilli: number | null;
}

export interface CalculatorView {
  readonly replicas: number;
  readonly pods: readonly JsonObject[];
  readonly usages: PodUsages;
  readonly tolerances: Tolerances;
  readonly nowMs: number;
}

export interface ReplicaProposal {
  readonly replicas: number;
  /** Null: the target is an average value. */
  readonly utilization: number | null;
  readonly averageMilli: number;
}

/** Why no number of replicas can be computed. */
export class MetricProblem extends Error {}

const CPU_INITIALIZATION_MS = 5 * 60 * 1000;
const INITIAL_READINESS_MS = 30 * 1000;
const NO_PODS = 'no pods returned by selector while calculating replica count';
const NO_METRICS = 'did not receive metrics for targeted pods (pods might be unready)';

/** Throws a MetricProblem. */
export function calculateReplicas(target: ResourceTarget, view: CalculatorView): ReplicaProposal {
  const { replicas, pods, tolerances } = view;
  if (pods.length === 0) throw new MetricProblem(NO_PODS);
  const { ready, unready, missing, counted } = groupPods(target.resource, view);
  if (counted.size === 0) throw new MetricProblem(NO_METRICS);
  const measure = target.utilization === null ? averageOf(target) : utilizationOf(target, pods);
  const { ratio, utilization, averageMilli } = measure(counted);
  const propose = (number: number): ReplicaProposal => ({
    replicas: number,
    utilization,
    averageMilli,
  });
  const addsUnready = unready.length > 0 && ratio > 1;
  if (!addsUnready && missing.length === 0) {
    return propose(isWithin(tolerances, ratio) ? replicas : ceil(ratio * ready));
  }
  const assumed = new Map(counted);
  if (ratio !== 1) {
    for (const name of missing) assumed.set(name, ratio > 1 ? 0 : measure.fullUsage(name));
  }
  if (addsUnready) for (const name of unready) assumed.set(name, 0);
  const { ratio: next } = measure(assumed);
  const isTurned = (ratio < 1 && next > 1) || (ratio > 1 && next < 1);
  if (isWithin(tolerances, next) || isTurned) return propose(replicas);
  const wanted = ceil(next * assumed.size);
  const isBackwards = (next < 1 && wanted > replicas) || (next > 1 && wanted < replicas);
  return propose(isBackwards ? replicas : wanted);
}

function isWithin({ up, down }: Tolerances, ratio: number): boolean {
  return 1 - down <= ratio && ratio <= 1 + up;
}

/** Limited to the range of int32. */
function ceil(number: number): number {
  return Math.min(Math.ceil(number), 2 ** 31 - 1);
}

function groupPods(resource: string, { pods, usages, nowMs }: CalculatorView) {
  let ready = 0;
  const unready: string[] = [];
  const missing: string[] = [];
  // As in Kubernetes, metrics of pods that are not (or no longer) in the store count, too.
  const counted = new Map([...usages].map(([name, { milli }]) => [name, milli]));
  for (const pod of pods) {
    const name = nameOf(pod);
    const phase = textAt(pod, 'status.phase');
    const usage = usages.get(name);
    if (isBeingDeleted(pod) || phase === 'Failed') counted.delete(name);
    else if (phase === 'Pending' || (usage && isUnready(pod, resource, usage, nowMs))) {
      counted.delete(name);
      unready.push(name);
    } else if (!usage) missing.push(name);
    else ready += 1;
  }
  return { ready, unready, missing, counted };
}

/** CPU usage during the start-up of a pod says nothing about its load. */
function isUnready(pod: JsonObject, resource: string, usage: PodUsage, nowMs: number): boolean {
  if (resource !== 'cpu') return false;
  const condition = podConditionOf(pod, 'Ready');
  const started = textAt(pod, 'status.startTime');
  if (!condition || started === '') return true;
  const startMs = timeMs(started);
  const changedMs = timeMs(textOf(condition['lastTransitionTime']));
  const isFalse = condition['status'] === 'False';
  if (startMs + CPU_INITIALIZATION_MS > nowMs) {
    return isFalse || usage.timeMs < changedMs + usage.windowMs;
  }
  return isFalse && startMs + INITIAL_READINESS_MS > changedMs;
}

interface Measured {
  readonly ratio: number;
  readonly utilization: number | null;
  readonly averageMilli: number;
}

interface Measure {
  (usages: ReadonlyMap<string, number>): Measured;
  /** The usage that is assumed at scale-down for a pod without metrics. */
  fullUsage: (name: string) => number;
}

function averageOf({ averageMilli }: ResourceTarget): Measure {
  const target = averageMilli ?? 0;
  const measure = (usages: ReadonlyMap<string, number>): Measured => {
    const average = Math.trunc(sum(usages.values()) / usages.size);
    return { ratio: average / target, utilization: null, averageMilli: average };
  };
  return Object.assign(measure, { fullUsage: () => target });
}

function utilizationOf(target: ResourceTarget, pods: readonly JsonObject[]): Measure {
  const percent = target.utilization ?? 0;
  const requests = new Map(pods.map((pod) => [nameOf(pod), requestOf(pod, target)]));
  const measure = (usages: ReadonlyMap<string, number>): Measured => {
    const known = [...usages].filter(([name]) => requests.has(name));
    const used = sum(known.map(([, milli]) => milli));
    const requested = sum(known.map(([name]) => requests.get(name) ?? 0));
    if (requested === 0) throw new MetricProblem('no metrics returned matched known pods');
    const utilization = Math.trunc((used * 100) / requested);
    const averageMilli = Math.trunc(used / known.length);
    return { ratio: utilization / percent, utilization, averageMilli };
  };
  const fullUsage = (name: string): number =>
    Math.trunc(((requests.get(name) ?? 0) * Math.max(100, percent)) / 100);
  return Object.assign(measure, { fullUsage });
}

function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}

/** Throws a MetricProblem: utilization is relative to requests, so all containers must have a request. */
function requestOf(pod: JsonObject, { resource, container }: ResourceTarget): number {
  const hasOwn = Object.hasOwn(structAt(pod, 'spec.resources'), 'requests');
  if (hasOwn && container === '') return requestOfPod(pod, resource);
  const sidecars = objectsAt(pod, 'spec.initContainers').filter(
    (one) => valueAt(one, 'restartPolicy') === 'Always',
  );
  const all = [...objectsAt(pod, 'spec.containers'), ...sidecars];
  const chosen = container === '' ? all : all.filter(({ name }) => name === container);
  if (container !== '' && chosen.length === 0) {
    throw new MetricProblem(`container ${container} not found in Pod ${nameOf(pod)}`);
  }
  const amounts = chosen.map((one) => {
    const milli = milliAt(structAt(one, 'resources.requests'), resource);
    if (milli !== null) return milli;
    const where = `container ${textOf(one['name'])} of Pod ${nameOf(pod)}`;
    throw new MetricProblem(`missing request for ${resource} in ${where}`);
  });
  return sum(amounts);
}

function requestOfPod(pod: JsonObject, resource: string): number {
  const milli = milliAt({ ...requestsOfPod(pod) }, resource);
  if (milli !== null) return milli;
  throw new MetricProblem(`missing pod-level request for ${resource} in Pod ${nameOf(pod)}`);
}

/**
 * Decides whether a resize is granted: whether a pod gets the resources of its current spec (E-2, E-3).
 *
 *     can this node resize the pod? ──no──> Infeasible: final, until the spec changes again
 *             │yes
 *     would the node admit the pod with these resources? ──no──> Deferred: until enough resources are free
 *             │yes
 *          granted
 *
 * A pod that requests more than the whole node has is deferred, not refused, as in Kubernetes' kubelet.
 */
import { quantityValue } from '../../api/values/quantity.ts';
import { readQuantity } from '../../api/values/quantity-text.ts';
import type { Container, Pod } from '../../api/pod.ts';
import type { ResourceList } from '../../api/resources.ts';
import { admit } from '../admission/admission.ts';
import type { AdmissionView } from '../admission/admission-view.ts';
import { isCriticalPod } from '../admission/critical-pod.ts';
import type { Rejection } from '../admission/rejection.ts';
import { initAndRegularContainers } from '../pod/pod-facts.ts';
import { qosClass } from '../resources/qos-class.ts';

export interface ResizeView extends AdmissionView {
  /** The same pod with its allocated resources. */
  readonly allocated: Pod;
  readonly limits: ResizeLimits;
}

/** Settings of this node for memory and CPUs that prevent some resizes. */
export interface ResizeLimits {
  /** `LimitedSwap`: burstable containers may swap, in proportion to what they request. */
  readonly swap: 'NoSwap' | 'LimitedSwap';
  /** `static`: guaranteed pods have exclusive CPUs. */
  readonly cpuManagerPolicy: 'none' | 'static';
  /** `Static`: guaranteed pods have exclusive memory. */
  readonly memoryManagerPolicy: 'None' | 'Static';
}

export type ResizeDecision =
  | {
      readonly type: 'granted';
      /** The pods to preempt first. */
      readonly victims: readonly Pod[];
      readonly shortOf?: string;
    }
  /** `why` is the rejection of admission, such as `OutOfcpu`. */
  | { readonly type: 'deferred'; readonly why: Rejection }
  /** `detail` is the label of the metric. */
  | { readonly type: 'infeasible'; readonly message: string; readonly detail: string };

export function decideResize(view: ResizeView): ResizeDecision {
  const refusal =
    refuseOnPlatform(view) ?? refuseSwapping(view) ?? refuseCpu(view) ?? refuseMemory(view);
  if (refusal) return { type: 'infeasible', ...refusal };
  const decision = admit(view);
  if (decision.rejection) return { type: 'deferred', why: decision.rejection };
  const { victims, shortOf } = decision;
  return { type: 'granted', victims, ...(shortOf && { shortOf }) };
}

interface Refusal {
  readonly message: string;
  readonly detail: string;
}

function refuseOnPlatform({ platform: { os } }: ResizeView): Refusal | null {
  if (os === 'linux') return null;
  if (os === 'windows') {
    return { message: 'In-place pod resize is not supported on Windows', detail: 'windows' };
  }
  const message = 'In-place pod resize is not supported on this node';
  return { message, detail: 'unsupported_platform' };
}

/** How much a container may swap was fixed when it started; only a restart could change it. */
function refuseSwapping({ pod, allocated, limits }: ResizeView): Refusal | null {
  if (limits.swap === 'NoSwap') return null;
  const isStuck = changedContainers(pod, allocated, 'memory').some(
    ([wanted, granted]) =>
      !restartsForMemory(granted) && (maySwap(pod, wanted) || maySwap(allocated, granted)),
  );
  if (!isStuck) return null;
  const message = 'In-place resize of containers with swap is not supported.';
  return { message, detail: 'swap_limitation' };
}

function refuseCpu({ pod, allocated, limits }: ResizeView): Refusal | null {
  if (limits.cpuManagerPolicy !== 'static') return null;
  return refuseExclusive(pod, allocated, 'cpu', {
    message: 'Resize is infeasible for Guaranteed Pods alongside CPU Manager policy "static"',
    detail: 'guaranteed_pod_cpu_manager_static_policy',
  });
}

function refuseMemory({ pod, allocated, limits }: ResizeView): Refusal | null {
  if (limits.memoryManagerPolicy !== 'Static') return null;
  return refuseExclusive(pod, allocated, 'memory', {
    message: 'Resize is infeasible for Guaranteed Pods alongside Memory Manager policy "Static"',
    detail: 'guaranteed_pod_memory_manager_static_policy',
  });
}

function refuseExclusive(pod: Pod, allocated: Pod, resource: string, refusal: Refusal) {
  if (qosClass(pod) !== 'Guaranteed') return null;
  return changedContainers(pod, allocated, resource).length > 0 ? refusal : null;
}

/** Pairs of the requested and the allocated resources of a container, where the requests differ. */
function changedContainers(pod: Pod, allocated: Pod, resource: string) {
  const granted = new Map(initAndRegularContainers(allocated.spec).map((one) => [one.name, one]));
  return initAndRegularContainers(pod.spec).flatMap((wanted) => {
    const had = granted.get(wanted.name);
    if (!had) return [];
    const [now, before] = [wanted, had].map((one) => nanos(one.resources?.requests, resource));
    return now === before ? [] : [[wanted, had] as const];
  });
}

function restartsForMemory({ resizePolicy }: Container): boolean {
  const policy = resizePolicy?.find(({ resourceName }) => resourceName === 'memory');
  return policy?.restartPolicy === 'RestartContainer';
}

function maySwap(pod: Pod, { resources }: Container): boolean {
  if (isCriticalPod(pod) || qosClass(pod) !== 'Burstable') return false;
  const [request, limit] = [resources?.requests, resources?.limits].map((list) =>
    quantityValue(readQuantity(list?.['memory'] ?? 0)),
  );
  return request !== limit;
}

function nanos(list: ResourceList | undefined, resource: string): bigint {
  return readQuantity(list?.[resource] ?? 0).nanos;
}

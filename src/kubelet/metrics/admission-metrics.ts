/**
 * The metrics of rejected and preempted pods, by reason.
 *
 * A reason may name any resource, so only the reasons that Kubernetes' kubelet defines become label values.
 * Other reasons share one value; otherwise every invented resource name in a pod would stay in memory.
 */
import type { Counter } from '../../lib/metrics/counter.ts';
import type { Family } from '../../lib/metrics/family.ts';
import type { Registry } from '../../lib/metrics/registry.ts';

/** The kubelet's list. */
const KNOWN_REASONS: ReadonlySet<string> = new Set([
  'AppArmor',
  'PodOSSelectorNodeLabelDoesNotMatch',
  'PodOSNotSupported',
  'InvalidNodeInfo',
  'InitContainerRestartPolicyForbidden',
  'SupplementalGroupsPolicyNotSupported',
  'UnexpectedAdmissionError',
  'UnknownReason',
  'UnexpectedPredicateFailureType',
  'OutOfcpu',
  'OutOfmemory',
  'OutOfephemeral-storage',
  'OutOfpods',
  'PodLevelResourcesNotSupported',
  'PodFeatureUnsupported',
  "node(s) had taints that the pod didn't tolerate",
  'Evicted',
  'SysctlForbidden',
  'TopologyAffinityError',
  'NodeShutdown',
  'VolumeAttachmentLimitExceeded',
]);
const OUT_OF = 'OutOf';

export class AdmissionMetrics {
  readonly #rejections: Family<Counter, 'reason'>;
  readonly #preemptions: Family<Counter, 'preemption_signal'>;

  constructor(registry: Registry) {
    this.#rejections = registry.counters({
      name: 'kubelet_admission_rejections_total',
      help: '[ALPHA] Cumulative number pod admission rejections by the Kubelet.',
      labels: ['reason'],
    });
    this.#preemptions = registry.counters({
      name: 'kubelet_preemptions',
      help: '[ALPHA] Cumulative number of pod preemptions by preemption resource',
      labels: ['preemption_signal'],
    });
  }

  /** A pod was preempted for a critical one that lacked this resource. */
  podPreempted(resource: string): void {
    this.#preemptions.with({ preemption_signal: resource }).inc();
  }

  podRejected(reason: string): void {
    this.#rejections.with({ reason: labelOf(reason) }).inc();
  }
}

function labelOf(reason: string): string {
  if (KNOWN_REASONS.has(reason)) return reason;
  return reason.startsWith(OUT_OF) ? 'OutOfExtendedResources' : 'Other';
}

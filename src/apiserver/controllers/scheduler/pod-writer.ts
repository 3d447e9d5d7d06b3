/**
 * Writes the scheduler's decisions about pods: bindings, unschedulable conditions with nominations,
 * preemptions, and Events.
 */
import { formatTime } from '../../../api/values/time.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { bindPod } from '../../actions/binding.ts';
import { withCondition } from '../../actions/pod-condition.ts';
import { pods } from '../../kinds/core/pods.ts';
import { MASTER } from '../../objects/access.ts';
import { structAt } from '../../objects/field-path.ts';
import { metadataOf } from '../../objects/metadata.ts';
import type { ServerParts } from '../../registry/server-parts.ts';
import { isMissing } from '../deletion-request.ts';
import { EventSeriesRecorder } from '../event-series-recorder.ts';
import { endPod } from '../nodes/pod-ending.ts';
import { isPending, SCHEDULER_NAME } from './pod-states.ts';
import type { PodView } from './pod-view.ts';

export interface PodRefusal {
  readonly reason: 'Unschedulable' | 'SchedulerError';
  readonly message: string;
  /** Null: keeps an earlier nomination. Empty: clears it. */
  readonly nominatedNode: string | null;
}

const NOTE_BYTES_MAX = 1024;

export class PodWriter {
  readonly #parts: ServerParts;
  readonly #events: EventSeriesRecorder;

  constructor(parts: ServerParts) {
    this.#parts = parts;
    this.#events = new EventSeriesRecorder(parts, SCHEDULER_NAME);
  }

  stop(): void {
    this.#events.stop();
  }

  async bind({ object, namespace, name, uid }: PodView, node: string): Promise<void> {
    const { registry, clock } = this.#parts;
    const body = { metadata: { namespace, name, uid }, target: { kind: 'Node', name: node } };
    const request = { definition: pods, namespace, name, body, user: MASTER, dryRun: false };
    await bindPod(registry, clock, request);
    const message = `Successfully assigned ${namespace}/${name} to ${node}`;
    const recorded = { type: 'Normal', reason: 'Scheduled', action: 'Binding', message } as const;
    // Scheduling does not wait for the Event to be written.
    void this.#events.report(object, recorded);
  }

  async refuse(pod: PodView, refusal: PodRefusal): Promise<void> {
    const { reason, message, nominatedNode } = refusal;
    const recorded = { type: 'Warning', reason: 'FailedScheduling', action: 'Scheduling' } as const;
    await this.#events.report(pod.object, { ...recorded, message: shorten(message) });
    const now = formatTime(this.#parts.clock.now());
    await this.#updateStatus(pod, (old) => {
      const status = 'False' as const;
      const condition = { type: 'PodScheduled', status, reason, message, ...observed(old) };
      const refused = withCondition(old, condition, now);
      return nominatedNode === null ? refused : withNomination(refused, nominatedNode);
    });
  }

  async clearNomination(pod: PodView): Promise<void> {
    await this.#updateStatus(pod, (old) => withNomination(old, ''));
  }

  /** Deletes the victim with its own grace period, after writing the reason to its status. */
  async preempt(victim: PodView, preemptor: PodView, node: string): Promise<void> {
    const { namespace, name, object } = victim;
    const target = { definition: pods, namespace, name };
    const message = `${SCHEDULER_NAME}: preempting to accommodate a higher priority pod`;
    const why = { reason: 'PreemptionByScheduler', message };
    await endPod(this.#parts, target, object, { why, isLost: false });
    void this.#events.report(object, {
      type: 'Normal',
      reason: 'Preempted',
      action: 'Preempting',
      message: `Preempted by pod ${preemptor.uid} on node ${node}`,
      related: preemptor.object,
    });
  }

  /** Does not change a pod that was bound or replaced in the meantime. */
  async #updateStatus(
    { namespace, name, uid }: PodView,
    change: (pod: JsonObject) => JsonObject,
  ): Promise<void> {
    const isSame = (old: JsonObject): boolean => metadataOf(old)['uid'] === uid && isPending(old);
    try {
      await this.#parts.registry.update({
        definition: pods,
        namespace,
        name,
        subresource: 'status',
        change: (old) => (isSame(old) ? change(old) : old),
      });
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
}

function withNomination(pod: JsonObject, node: string): JsonObject {
  const { nominatedNodeName: _, ...status } = structAt(pod, 'status');
  const nominated: Readonly<Record<string, Json>> = node === '' ? {} : { nominatedNodeName: node };
  return { ...pod, status: { ...status, ...nominated } };
}

function observed(pod: JsonObject): { readonly observedGeneration?: number } {
  const { generation } = metadataOf(pod);
  return typeof generation === 'number' ? { observedGeneration: generation } : {};
}

function shorten(message: string): string {
  const suffix = ' ...';
  const bytes = Buffer.from(message);
  if (bytes.length <= NOTE_BYTES_MAX) return message;
  return `${bytes.subarray(0, NOTE_BYTES_MAX - suffix.length).toString()}${suffix}`;
}

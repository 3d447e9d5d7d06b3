/** Holds all pods together to what the node can give them, where there is something that can do so. */
import type { ResourceList } from '../../api/resources.ts';
import type { Clock } from '../../ports/clock.ts';
import type { NodeEvents } from './node-events.ts';
import { pause } from './waiting.ts';

/** Sets the limit for all pods together, such as on the control group above theirs. */
export type EnforceAllocatable = (allocatable: ResourceList) => Promise<void>;

export interface AllocatableLimitRoom {
  readonly clock: Clock;
  readonly events: NodeEvents;
  readonly signal: AbortSignal;
}

const RETRY_MS = 60_000;

/** Pods may use more than the limit at first; then it is tried again until they do not. */
export async function enforceAllocatable(
  enforce: EnforceAllocatable,
  allocatable: ResourceList,
  { clock, events, signal }: AllocatableLimitRoom,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await enforce(allocatable);
      if (signal.aborted) return;
      const message = 'Updated Node Allocatable limit across pods';
      events.recordNode('Normal', 'NodeAllocatableEnforced', message);
      return;
    } catch (error) {
      if (signal.aborted) return;
      const why = error instanceof Error ? error.message : String(error);
      const message = `Failed to update Node Allocatable Limits: ${why}`;
      events.recordNode('Warning', 'FailedNodeAllocatableEnforcement', message);
      await pause(clock, RETRY_MS, signal);
    }
  }
}

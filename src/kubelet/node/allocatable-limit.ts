/**
 * Limits all pods together to the node's allocatable resources (enforceNodeAllocatable), and retries until
 * that succeeds.
 */
import type { ResourceList } from '../../api/resources.ts';
import type { Clock } from '../../ports/clock.ts';
import type { NodeEvents } from './node-events.ts';
import { pause } from '../waiting/pause.ts';

/** Sets the limit for all pods together, such as on their parent cgroup. */
export type EnforceAllocatable = (allocatable: ResourceList) => Promise<void>;

export interface AllocatableLimitDeps {
  readonly clock: Clock;
  readonly events: NodeEvents;
  readonly signal: AbortSignal;
}

const RETRY_MS = 60_000;

/** Retries, because setting the limit fails as long as pods use more than it allows. */
export async function enforceAllocatable(
  enforce: EnforceAllocatable,
  allocatable: ResourceList,
  { clock, events, signal }: AllocatableLimitDeps,
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

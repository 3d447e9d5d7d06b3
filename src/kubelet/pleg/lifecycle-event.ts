/**
 * Computes the lifecycle events of a pod from the difference of two inspections (KL-58, KL-87).
 *
 *     running ──> ContainerStarted      exited ──> ContainerDied      gone ──> ContainerRemoved
 *     created or unknown ──> ContainerChanged
 *
 * Sandboxes count as containers: a ready sandbox is running, any other has exited. For a container that
 * disappears without having been seen as exited, ContainerDied comes first.
 */
import type { RuntimePod } from '../../api/runtime-pod.ts';

export type LifecycleEventType =
  | 'ContainerStarted'
  | 'ContainerDied'
  | 'ContainerRemoved'
  | 'ContainerChanged'
  /** Nothing changed, but an inspection succeeded after one that failed. */
  | 'PodSync';

export interface LifecycleEvent {
  readonly podUid: string;
  readonly type: LifecycleEventType;
  /** Of the container or sandbox; absent for PodSync. */
  readonly id?: string;
}

type State = 'running' | 'exited' | 'unknown';
export type States = ReadonlyMap<string, State>;

export function statesOf({ sandboxes, containers }: RuntimePod): States {
  return new Map([
    ...containers.map(({ id, state }) => [id, state === 'created' ? 'unknown' : state] as const),
    ...sandboxes.map(({ id, ready }) => [id, ready ? 'running' : 'exited'] as const),
  ]);
}

export function lifecycleEvents(
  podUid: string,
  before: States,
  after: States,
): readonly LifecycleEvent[] {
  const events: LifecycleEvent[] = [];
  const notify = (type: LifecycleEventType, id: string): void => {
    events.push({ podUid, type, id });
  };
  for (const [id, state] of before) {
    if (after.has(id)) continue;
    if (state !== 'exited') notify('ContainerDied', id);
    notify('ContainerRemoved', id);
  }
  for (const [id, state] of after) {
    if (before.get(id) === state) continue;
    if (state === 'running') notify('ContainerStarted', id);
    else notify(state === 'exited' ? 'ContainerDied' : 'ContainerChanged', id);
  }
  return events;
}

export function areEqual(a: States, b: States): boolean {
  return a.size === b.size && [...a].every(([id, state]) => b.get(id) === state);
}

/**
 * Kills a pod and waits until its containers have stopped, for callers that depend on that (eviction, node
 * shutdown, preemption). PW-60.
 *
 * The wait is limited to one and a half grace periods, at least 10 s: a runtime that hangs must not block
 * the caller. The kill itself continues after that.
 */
import type { Pod } from '../../api/pod.ts';
import { defineError } from '../../lib/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EventRecorder } from '../../ports/observe/event-recorder.ts';
import { referenceOf } from './update-options.ts';
import type { KillOptions, PodKill } from './update-options.ts';

export type KillPodOptions = Omit<KillOptions, 'completed'>;

export interface KillPodDeps {
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly updatePod: (options: PodKill) => void;
}

const TIMEOUT_SECONDS_MIN = 10;

export const killTimedOut = defineError<{ name: string; seconds: number }>({
  code: 'KILL_TIMED_OUT',
  retry: 'backoff',
  message: () => 'timeout waiting to kill pod',
  hint: ({ name, seconds }) =>
    `The containers of ${name} did not stop within ${seconds} s. The kill goes on; look for a process ` +
    'that ignores SIGTERM, or a container runtime that does not answer.',
});

export async function killPodNow(
  { clock, events, updatePod }: KillPodDeps,
  pod: Pod,
  options: KillPodOptions = {},
): Promise<void> {
  const reference = referenceOf(pod);
  const seconds = timeoutSeconds(pod, options.graceSeconds);
  await new Promise<void>((resolve, reject) => {
    const cancel = clock.after(seconds * 1000, () => {
      events.record(
        reference,
        'Warning',
        'ExceededGracePeriod',
        'Container runtime did not kill the pod within specified grace period.',
      );
      reject(killTimedOut({ name: `${reference.namespace}/${reference.name}`, seconds }));
    });
    const completed = (): void => {
      cancel();
      resolve();
    };
    updatePod({ updateType: 'kill', pod, kill: { ...options, completed } });
  });
}

function timeoutSeconds(pod: Pod, override: number | undefined): number {
  const grace = override ?? pod.spec.terminationGracePeriodSeconds ?? 0;
  return Math.max(grace + Math.trunc(grace / 2), TIMEOUT_SECONDS_MIN);
}

/**
 * Explain rule: a pod is being stopped, and a preStop hook, the order of sidecars, a container that does not
 * exit, or a volume delays it.
 */
import { exitWait, preStopWait, stopTurnWait, unmountWait } from '../../pod-waits/wait-names.ts';
import { findWait, type CurrentWait } from '../current-waits.ts';
import { because, quoted, sentence, times, type Finding, type Rule } from '../finding.ts';
import { objectAt } from '../loose-json.ts';
import type { ContainerView, PodView } from '../pod-view.ts';

const KILLS = 'the kubelet kills the container, if it still runs';

export const stopping: Rule = {
  situation: 'container-not-stopped',
  find: (view) => {
    const recorded = view.containers.flatMap((one) => stopOf(view, one));
    const volumes = view.waits.flatMap(unmountOf);
    if (recorded.length > 0 || volumes.length > 0) return [...recorded, ...volumes];
    return view.deletedMs === null ? [] : fromStatus(view);
  },
};

function stopOf({ waits, input }: PodView, { name, spec }: ContainerView): readonly Finding[] {
  const common = (wait: CurrentWait): Partial<Finding> => ({
    sinceMs: wait.sinceMs,
    nextMs: wait.nextMs,
    waits: [wait],
  });
  const hook = findWait(waits, preStopWait(name));
  const force = `To end it now: kubectl delete pod ${input.name} -n ${input.namespace} --grace-period=1.`;
  if (hook) {
    return [
      {
        ...common(hook),
        what: `Container ${quoted(name)} runs its preStop hook (${hookOf(spec)}), and gets its stop signal after that.`,
        tried: 'The kubelet runs the hook once.',
        next: 'the grace period ends, and the kubelet stops the container even if the hook still runs',
        advice: ['Wait for the hook, or make it shorter.', force],
      },
    ];
  }
  const turn = findWait(waits, stopTurnWait(name));
  if (turn) {
    return [
      {
        ...common(turn),
        what: `Container ${quoted(name)} is a sidecar: it stops after the containers that it serves.`,
        next: 'the grace period ends, and the kubelet stops it all the same',
        advice: ['See why the other containers do not stop.'],
      },
    ];
  }
  const exit = findWait(waits, exitWait(name));
  if (!exit) return [];
  return [
    {
      ...common(exit),
      what: `Container ${quoted(name)} got its stop signal (SIGTERM by default) and has not exited.`,
      tried: 'The kubelet sent the signal once.',
      next: `${KILLS} (SIGKILL)`,
      advice: [
        'Let the process exit when it gets the signal; a shell as its first process does not pass it on.',
        force,
      ],
    },
  ];
}

function hookOf(spec: ContainerView['spec']): string {
  const hook = objectAt(spec, 'lifecycle', 'preStop') ?? {};
  return Object.keys(hook).slice(0, 1).join('') || 'unknown kind';
}

function unmountOf(wait: CurrentWait): readonly Finding[] {
  const volume = /^volume "(.*)" to be unmounted$/.exec(wait.waitsFor)?.[1];
  if (volume === undefined || wait.waitsFor !== unmountWait(volume).waitsFor) return [];
  return [
    {
      what: sentence(`Volume ${quoted(volume)} cannot be unmounted${because(wait.why)}`),
      sinceMs: wait.sinceMs,
      tried: times(wait.attempts, 'The kubelet tried to unmount it'),
      next: 'the kubelet tries again',
      nextMs: wait.nextMs,
      advice: ['Look for processes of the node that use the volume: fuser -m names them.'],
      waits: [wait],
    },
  ];
}

/** Without decision records of the kubelet, only the last status is left. */
function fromStatus({ containers, deletedMs, graceEndsMs, now }: PodView): readonly Finding[] {
  return containers
    .filter(({ isRunning }) => isRunning)
    .map(({ name, spec }) => {
      const hasHook = objectAt(spec, 'lifecycle', 'preStop') !== null;
      const isLate = graceEndsMs !== null && now > graceEndsMs;
      return {
        what: isLate
          ? `Container ${quoted(name)} still runs, by the last status of the kubelet, although its grace period is over.`
          : `Container ${quoted(name)} is being stopped${hasHook ? '; its preStop hook runs first' : ''}.`,
        sinceMs: deletedMs,
        next: isLate ? null : KILLS,
        nextMs: isLate ? null : graceEndsMs,
        advice: isLate
          ? [
              'Check that the kubelet of the node runs, reaches the API server, and its runtime answers.',
            ]
          : [],
      };
    });
}

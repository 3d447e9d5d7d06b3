/** Replays of the phase and of grace periods. */
import type { ContainerStatus, Pod } from '../../../src/api/pod.ts';
import { effectiveGracePeriod } from '../../../src/core/pod/grace-period.ts';
import { podPhase } from '../../../src/core/pod-status/phase.ts';
import { replayer } from '../replayer.ts';

interface Phase {
  readonly pod: Pod;
  readonly containerStatuses?: readonly ContainerStatus[] | null;
  readonly podIsTerminal: boolean;
  readonly podHasInitialized: boolean;
}

interface Grace {
  readonly currentGracePeriod: number;
  readonly deletionGracePeriodSeconds?: number;
  readonly gracePeriodOverride?: number;
  readonly terminationGracePeriodSeconds?: number;
}

export const phaseReplayers = {
  getPhase: replayer<Phase>(({ pod, containerStatuses, podIsTerminal, podHasInitialized }) =>
    podPhase(pod, {
      containerStatuses: containerStatuses ?? [],
      isTerminal: podIsTerminal,
      hasInitialized: podHasInitialized,
    }),
  ),
  calculateEffectiveGracePeriod: replayer<Grace>(({ currentGracePeriod, ...wishes }) =>
    effectiveGracePeriod({ current: currentGracePeriod, ...wishes }),
  ),
};

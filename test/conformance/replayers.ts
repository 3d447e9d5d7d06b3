/** Every `fn` that a vector file may name, and its replayer. To add a format, add a line. */
import { replayApiServerScenario } from './apiserver-scenario.ts';
import { apiReplayers } from './functions/api.ts';
import { kubeletReplayers } from './functions/kubelet.ts';
import { phaseReplayers } from './functions/phase.ts';
import { statusReplayers } from './functions/status.ts';
import { replayPodLife } from './pod-life-scenario.ts';
import { replayPodWorkersScenario } from './pod-workers-scenario.ts';
import { replayStatusManagerScenario } from './status-manager-scenario.ts';
import type { Replayer } from './vector.ts';

export const replayers: ReadonlyMap<string, Replayer> = new Map(
  Object.entries({
    ...statusReplayers,
    ...phaseReplayers,
    ...apiReplayers,
    ...kubeletReplayers,
    statusManagerScenario: replayStatusManagerScenario,
    podWorkersScenario: replayPodWorkersScenario,
    apiServerScenario: replayApiServerScenario,
    podLife: replayPodLife,
  }),
);

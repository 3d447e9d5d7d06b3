/** Replays of the kubelet's larger functions: the whole status of a pod, and the plan of a sync. */
import type { Pod, PodStatus } from '../../../src/api/pod.ts';
import type { RuntimeContainer, RuntimeSandbox } from '../../../src/api/runtime-pod.ts';
import type { StartFailure } from '../../../src/core/pod-status/container-status.ts';
import { podActions } from '../../../src/core/pod-actions/pod-actions.ts';
import { podStatus } from '../../../src/core/pod-status/pod-status.ts';
import type { ProbeResult } from '../../../src/core/pod-status/probe-status.ts';
import { NOW, replayer } from '../replayer.ts';

interface WholeStatus {
  readonly pod: Pod;
  readonly cachedStatus?: PodStatus;
  readonly containers: readonly RuntimeContainer[];
  readonly sandboxReady: boolean;
  readonly runtimeIPs?: readonly string[];
  readonly nodeIPs: readonly string[];
  readonly reasonCache: Readonly<Record<string, StartFailure>>;
  readonly podIsTerminal: boolean;
}

interface Actions {
  readonly pod: Pod;
  readonly sandboxes: readonly RuntimeSandbox[];
  readonly containers: readonly RecordedContainer[];
  readonly restartAllContainers: boolean;
}

interface RecordedContainer extends RuntimeContainer {
  readonly hashMatches: boolean;
  readonly liveness?: ProbeResult;
  readonly startup?: ProbeResult;
}

const SANDBOX = { id: 'sandbox', attempt: 0, hostNetwork: false };

export const kubeletReplayers = {
  generateAPIPodStatus: replayer<WholeStatus>(replayStatus, 'loose'),
  computePodActions: replayer<Actions>(replayActions, 'loose'),
};

function replayStatus(input: WholeStatus): unknown {
  const { pod, containers, sandboxReady, runtimeIPs = [] } = input;
  return podStatus({
    pod,
    lastReported: input.cachedStatus,
    runtime: {
      sandboxes: [{ ...SANDBOX, ready: sandboxReady }],
      containers: containers.map((container) => ({ ...container, sandboxID: SANDBOX.id })),
      ips: runtimeIPs,
    },
    isTerminal: input.podIsTerminal,
    startFailures: new Map(Object.entries(input.reasonCache)),
    probes: {
      startup: new Map(),
      readiness: new Map(),
      startupProbed: new Set(),
      readinessProbed: new Set(),
      since: NOW,
    },
    resizeConditions: [],
    hostIPs: input.nodeIPs,
    supportsRecursiveReadOnly: false,
    now: NOW,
  });
}

function replayActions(input: Actions): unknown {
  const { pod, sandboxes, containers, restartAllContainers } = input;
  const { containersToUpdate: _, ...actions } = podActions({
    pod,
    runtime: { sandboxes, containers, ips: [] },
    restartAllContainers,
    changed: new Set(containers.filter((c) => !c.hashMatches).map(({ id }) => id)),
    liveness: resultsOf(containers, 'liveness'),
    startup: resultsOf(containers, 'startup'),
    actuated: { containers: new Map() },
  });
  const { updatePodResources, updatePodLevelResources, ...plan } = actions;
  return {
    ...plan,
    ...(updatePodResources && { updatePodResources }),
    ...(updatePodLevelResources && { updatePodLevelResources }),
    // Go keeps these in a map, so their order in the recording is by ID.
    containersToKill: plan.containersToKill.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  };
}

function resultsOf(
  containers: readonly RecordedContainer[],
  probe: 'liveness' | 'startup',
): ReadonlyMap<string, ProbeResult> {
  return new Map(
    containers.flatMap((container) => {
      const result = container[probe];
      return result ? [[container.id, result]] : [];
    }),
  );
}

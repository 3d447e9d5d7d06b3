/**
 * Decides what a sync does to a pod: which sandbox, init, sidecar, regular and ephemeral containers to start,
 * stop or leave, and in what order.
 *
 *     all containers restart ────> reset every container, nothing else
 *     sandbox missing or wrong ──> stop everything; new sandbox unless the pod is done
 *     sandbox fine ──────────────> ephemeral · init and sidecars · regular containers
 *
 * `kubelet/` carries out the plan. Containers in crash-loop back-off are removed from it afterwards
 * (crash-backoff-hold.ts).
 */
import type { Container } from '../../api/pod.ts';
import { findNewest, hasRegularContainerBeenCreated } from '../pod/runtime-facts.ts';
import { sandboxChange } from './sandbox-change.ts';
import { planInitContainers } from './init-containers.ts';
import type { Draft, PodActions, PodActionsView } from './plan.ts';
import { planRegularContainers } from './regular-containers.ts';
import { isStartingResized, needsPodLevelResize } from './resize.ts';
import { planReset } from './reset.ts';

export function podActions(view: PodActionsView): PodActions {
  const { pod, runtime } = view;
  const change = sandboxChange(pod, runtime);
  const draft: Draft = {
    killPod: change.needed,
    createSandbox: change.needed,
    sandboxID: change.sandboxID,
    attempt: change.attempt,
    ephemeralContainersToStart: [],
    initContainersToStart: [],
    containersToStart: [],
    containersToKill: [],
    containersToReset: [],
    containersToUpdate: { cpu: [], memory: [] },
    updatePodResources: false,
    updatePodLevelResources: false,
  };
  if (view.restartAllContainers) draft.containersToReset = planReset(view);
  else if (change.needed) planNewSandbox(view, draft);
  else planContainers(view, draft);
  return draft;
}

function planNewSandbox(view: PodActionsView, draft: Draft): void {
  const { pod, runtime } = view;
  const { spec } = pod;
  // The pod ran once and may not run again. If it has no containers it never ran, so it gets a sandbox.
  if (spec.restartPolicy === 'Never' && draft.attempt !== 0 && runtime.containers.length > 0) {
    draft.createSandbox = false;
    return;
  }
  const toStart = [...spec.containers.keys()].filter((index) => {
    const container = spec.containers[index];
    return container && !isDoneForGood(view, container);
  });
  if (toStart.length === 0 && hasRegularContainerBeenCreated(pod, runtime)) {
    draft.createSandbox = false;
    return;
  }
  if (spec.initContainers?.length) draft.initContainersToStart = [0];
  else draft.containersToStart = toStart;
}

/** The container restarts only on failure, and it succeeded. */
function isDoneForGood({ pod, runtime }: PodActionsView, container: Container): boolean {
  if ((container.restartPolicy ?? pod.spec.restartPolicy) !== 'OnFailure') return false;
  const newest = findNewest(runtime, container.name);
  return newest?.state === 'exited' && (newest.exitCode ?? 0) === 0;
}

function planContainers(view: PodActionsView, draft: Draft): void {
  const { pod, runtime } = view;
  // Ephemeral containers need no initialised pod, and are never started twice.
  for (const [index, { name }] of (pod.spec.ephemeralContainers ?? []).entries()) {
    if (!findNewest(runtime, name)) draft.ephemeralContainersToStart.push(index);
  }
  const hasInitialized = planInitContainers(view, draft);
  const init = pod.spec.initContainers ?? [];
  draft.updatePodResources ||= isStartingResized(view, init, draft.initContainersToStart);
  if (draft.killPod || !hasInitialized) return;

  planRegularContainers(view, draft);
  draft.updatePodLevelResources = needsPodLevelResize(view);
  if (draft.updatePodLevelResources || draft.updatePodResources) return;
  draft.updatePodResources = isStartingResized(view, pod.spec.containers, draft.containersToStart);
}

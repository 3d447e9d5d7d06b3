/** The inputs of the larger decisions of core/, with unremarkable values. */
import type { Pod } from '../../src/api/pod.ts';
import type { RuntimePod } from '../../src/api/runtime-pod.ts';
import type { PodActionsView } from '../../src/core/pod-actions/plan.ts';
import type { PodStatusView } from '../../src/core/pod-status/pod-status.ts';
import type { ProbeView } from '../../src/core/pod-status/probe-status.ts';
import { EARLIER, NOW } from './pod-parts.ts';
import { runtimeOf } from './runtime-parts.ts';

/** No probes, and a podkeep that started before every container. */
export function probeView(fields: Partial<ProbeView> = {}): ProbeView {
  return {
    startup: new Map(),
    readiness: new Map(),
    startupProbed: new Set(),
    readinessProbed: new Set(),
    since: EARLIER,
    ...fields,
  };
}

export function statusView(pod: Pod, fields: Partial<PodStatusView> = {}): PodStatusView {
  return {
    pod,
    runtime: runtimeOf(),
    isTerminal: false,
    startFailures: new Map(),
    probes: probeView(),
    resizeConditions: [],
    hostIPs: ['192.168.0.1'],
    supportsRecursiveReadOnly: false,
    now: NOW,
    ...fields,
  };
}

export function actionsView(
  pod: Pod,
  runtime: RuntimePod,
  fields: Partial<PodActionsView> = {},
): PodActionsView {
  return {
    pod,
    runtime,
    restartAllContainers: false,
    changed: new Set(),
    liveness: new Map(),
    startup: new Map(),
    ...fields,
  };
}

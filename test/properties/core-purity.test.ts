/**
 * The decisions of core/ do not change their inputs, give the same output for the same input, and return
 * unchanged parts as they are.
 */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isPastDeadline } from '../../src/core/pod/active-deadline.ts';
import { checkContainerTransitions } from '../../src/core/pod-status/container-transition.ts';
import { backOffKey, backOffMessage } from '../../src/core/pod-actions/crash-backoff.ts';
import { initializedCondition } from '../../src/core/pod-status/initialized-condition.ts';
import { mergeStatus } from '../../src/core/pod-status/merge-status.ts';
import { normalizeStatus } from '../../src/core/pod-status/normalize-status.ts';
import { podPhase } from '../../src/core/pod-status/phase.ts';
import { holdForCrashBackOff } from '../../src/core/pod-actions/crash-backoff-hold.ts';
import type { PodActionsView } from '../../src/core/pod-actions/plan.ts';
import { podActions } from '../../src/core/pod-actions/pod-actions.ts';
import { podAddresses } from '../../src/core/pod-status/pod-addresses.ts';
import { podLevelResources } from '../../src/core/resources/pod-level-resources.ts';
import { podLimits, podRequests } from '../../src/core/resources/pod-resources.ts';
import { podStatus, type PodStatusView } from '../../src/core/pod-status/pod-status.ts';
import { withProbeResults } from '../../src/core/pod-status/probe-status.ts';
import { qosClass } from '../../src/core/resources/qos-class.ts';
import {
  containersReadyCondition,
  needsReadinessReconcile,
  readyCondition,
} from '../../src/core/pod-status/ready-conditions.ts';
import {
  allContainersRestartingCondition,
  isRestartingAll,
} from '../../src/core/pod-actions/restart-all.ts';
import { mayRestartAllContainers } from '../../src/core/pod-actions/restart-policy.ts';
import { hasActiveRegularContainer } from '../../src/core/pod/runtime-facts.ts';
import { sandboxChange } from '../../src/core/pod-actions/sandbox-change.ts';
import { isStatusEqual } from '../../src/core/pod-status/status-equality.ts';
import { terminateStatus } from '../../src/core/pod-status/terminate-status.ts';
import { actionsViews, pods, PROPERTY, statuses, statusViews } from '../support/arbitraries.ts';
import { NOW } from '../support/pod-parts.ts';

const DECISIONS: Readonly<Record<string, (view: PodStatusView) => unknown>> = {
  podStatus,
  normalizeStatus: ({ pod, lastReported = {} }) => normalizeStatus(pod, lastReported),
  mergeStatus: ({ pod, lastReported = {}, isTerminal }) =>
    mergeStatus({
      pod,
      old: pod.status ?? {},
      status: lastReported,
      couldHaveRunningContainers: isTerminal,
      now: NOW,
    }),
  isStatusEqual: ({ pod, lastReported = {} }) => isStatusEqual(pod.status ?? {}, lastReported),
  terminateStatus: ({ pod, lastReported = {} }) => terminateStatus(pod, lastReported),
  checkContainerTransitions: ({ pod, lastReported = {} }) =>
    checkContainerTransitions(pod.spec, pod.status ?? {}, lastReported),
  withProbeResults: ({ pod, lastReported = {}, probes }) =>
    withProbeResults(pod, lastReported, probes),
  podPhase: ({ pod, lastReported, isTerminal }) =>
    podPhase(pod, {
      containerStatuses: [
        ...(lastReported?.containerStatuses ?? []),
        ...(lastReported?.initContainerStatuses ?? []),
      ],
      isTerminal,
      hasInitialized: isTerminal,
    }),
  conditions: ({ pod, runtime, lastReported = {} }) => {
    const view = { containerStatuses: lastReported.containerStatuses, phase: lastReported.phase };
    return [
      containersReadyCondition(pod, view),
      readyCondition(pod, view, lastReported.conditions),
      needsReadinessReconcile(pod),
      initializedCondition(pod, lastReported, view),
      allContainersRestartingCondition(pod, runtime, lastReported, lastReported.phase),
    ];
  },
  facts: ({ pod, runtime, lastReported = {} }) => [
    isPastDeadline(pod, lastReported, NOW),
    isRestartingAll(pod, runtime, lastReported),
    mayRestartAllContainers(pod.spec),
    hasActiveRegularContainer(pod, runtime),
    sandboxChange(pod, runtime),
  ],
  resources: ({ pod, runtime, lastReported = {}, hostIPs }) => [
    podRequests(pod),
    podLimits(pod),
    podLevelResources(pod, runtime.resources, lastReported),
    qosClass(pod),
    podAddresses(pod, runtime.ips, hostIPs),
  ],
};

const PLANS: Readonly<Record<string, (view: PodActionsView) => unknown>> = {
  podActions,
  holdForCrashBackOff: (view) => holdForCrashBackOff(view, podActions(view), new Map(), 0),
  'back-off': ({ pod }) =>
    pod.spec.containers.map((container) => [
      backOffKey(pod, container),
      backOffMessage({ delayMs: 10_000, advancedAt: 0 }, pod, container),
    ]),
};

const FEW = { numRuns: Math.ceil(PROPERTY.numRuns / 4) };

/** The input after the call, and the outputs for it and for a copy of it. */
function askTwice<View>(view: View, decide: (view: View) => unknown) {
  const copy = structuredClone(view);
  const answer = decide(view);
  return { before: [copy, answer], after: [view, decide(copy)] };
}

describe('an input is not changed, and a copy of it has the same output', () => {
  test.each(Object.entries(DECISIONS))('%s', (_name, decide) => {
    fc.assert(
      fc.property(statusViews, (view) => {
        const { before, after } = askTwice(view, decide);
        expect(after).toEqual(before);
      }),
      FEW,
    );
  });

  test.each(Object.entries(PLANS))('%s', (_name, decide) => {
    fc.assert(
      fc.property(actionsViews, (view) => {
        const { before, after } = askTwice(view, decide);
        expect(after).toEqual(before);
      }),
      FEW,
    );
  });
});

describe('applied to its own output, it returns the same object', () => {
  test('terminateStatus', () => {
    fc.assert(
      fc.property(pods, statuses, (pod, status) => {
        const closed = terminateStatus(pod, status);
        expect(terminateStatus(pod, closed)).toBe(closed);
        expect(closed.conditions).toBe(status.conditions);
        expect(closed.ephemeralContainerStatuses).toBe(status.ephemeralContainerStatuses);
      }),
      PROPERTY,
    );
  });

  test('withProbeResults', () => {
    fc.assert(
      fc.property(statusViews, statuses, ({ pod, probes }, status) => {
        const probed = withProbeResults(pod, status, probes);
        expect(withProbeResults(pod, probed, probes)).toBe(probed);
        expect(probed.conditions).toBe(status.conditions);
        expect(probed.ephemeralContainerStatuses).toBe(status.ephemeralContainerStatuses);
      }),
      PROPERTY,
    );
  });
});

test('SM-43, SM-44: a closed pod is terminal unless it is static, and keeps every known exit code', () => {
  fc.assert(
    fc.property(pods, statuses, (pod, status) => {
      const closed = terminateStatus(pod, status);
      const isStatic = pod.metadata.annotations?.['kubernetes.io/config.source'] !== undefined;
      const phase = isStatic ? status.phase : closed.phase;
      expect(closed.phase).toBe(phase);
      expect(isStatic || closed.phase === 'Succeeded' || closed.phase === 'Failed').toBe(true);
      for (const list of ['containerStatuses', 'initContainerStatuses'] as const) {
        const lost = status[list]?.filter(
          ({ state }, index) =>
            state?.terminated && closed[list]?.[index]?.state?.terminated !== state.terminated,
        );
        expect(lost ?? []).toEqual([]);
      }
    }),
    PROPERTY,
  );
});

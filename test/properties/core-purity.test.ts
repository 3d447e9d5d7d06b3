/**
 * The decisions of core/ leave what they are given alone, answer the same question the same way,
 * and return what did not change as it is.
 */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isPastDeadline } from '../../src/core/active-deadline.ts';
import { checkContainerTransitions } from '../../src/core/container-transition.ts';
import { backOffKey, backOffMessage } from '../../src/core/crash-backoff.ts';
import { initializedCondition } from '../../src/core/initialized-condition.ts';
import { mergeStatus } from '../../src/core/merge-status.ts';
import { normalizeStatus } from '../../src/core/normalize-status.ts';
import { podPhase } from '../../src/core/phase.ts';
import { holdBack } from '../../src/core/pod-actions/hold-back.ts';
import type { PodActionsView } from '../../src/core/pod-actions/plan.ts';
import { podActions } from '../../src/core/pod-actions/pod-actions.ts';
import { podAddresses } from '../../src/core/pod-addresses.ts';
import { podLevelResources } from '../../src/core/pod-level-resources.ts';
import { podLimits, podRequests } from '../../src/core/pod-resources.ts';
import { podStatus, type PodStatusView } from '../../src/core/pod-status.ts';
import { withProbeResults } from '../../src/core/probe-status.ts';
import { qosClass } from '../../src/core/qos-class.ts';
import {
  containersReadyCondition,
  needsReadinessReconcile,
  readyCondition,
} from '../../src/core/ready-conditions.ts';
import { allContainersRestartingCondition, isRestartingAll } from '../../src/core/restart-all.ts';
import { mayRestartAllContainers } from '../../src/core/restart-policy.ts';
import { hasActiveRegularContainer } from '../../src/core/runtime-facts.ts';
import { sandboxChange } from '../../src/core/sandbox-change.ts';
import { isStatusEqual } from '../../src/core/status-equality.ts';
import { terminateStatus } from '../../src/core/terminate-status.ts';
import { actionsViews, pods, PROPERTY, statuses, statusViews } from '../support/arbitraries.ts';
import { NOW } from '../support/pod-parts.ts';

const DECISIONS: Readonly<Record<string, (view: PodStatusView) => unknown>> = {
  podStatus,
  normalizeStatus: ({ pod, said = {} }) => normalizeStatus(pod, said),
  mergeStatus: ({ pod, said = {}, isTerminal }) =>
    mergeStatus({
      pod,
      old: pod.status ?? {},
      status: said,
      couldHaveRunningContainers: isTerminal,
      now: NOW,
    }),
  isStatusEqual: ({ pod, said = {} }) => isStatusEqual(pod.status ?? {}, said),
  terminateStatus: ({ pod, said = {} }) => terminateStatus(pod, said),
  checkContainerTransitions: ({ pod, said = {} }) =>
    checkContainerTransitions(pod.spec, pod.status ?? {}, said),
  withProbeResults: ({ pod, said = {}, probes }) => withProbeResults(pod, said, probes),
  podPhase: ({ pod, said, isTerminal }) =>
    podPhase(pod, {
      containerStatuses: [
        ...(said?.containerStatuses ?? []),
        ...(said?.initContainerStatuses ?? []),
      ],
      isTerminal,
      hasInitialized: isTerminal,
    }),
  conditions: ({ pod, runtime, said = {} }) => {
    const view = { containerStatuses: said.containerStatuses, phase: said.phase };
    return [
      containersReadyCondition(pod, view),
      readyCondition(pod, view, said.conditions),
      needsReadinessReconcile(pod),
      initializedCondition(pod, said, view),
      allContainersRestartingCondition(pod, runtime, said, said.phase),
    ];
  },
  facts: ({ pod, runtime, said = {} }) => [
    isPastDeadline(pod, said, NOW),
    isRestartingAll(pod, runtime, said),
    mayRestartAllContainers(pod.spec),
    hasActiveRegularContainer(pod, runtime),
    sandboxChange(pod, runtime),
  ],
  resources: ({ pod, runtime, said = {}, hostIPs }) => [
    podRequests(pod),
    podLimits(pod),
    podLevelResources(pod, runtime.resources, said),
    qosClass(pod),
    podAddresses(pod, runtime.ips, hostIPs),
  ],
};

const PLANS: Readonly<Record<string, (view: PodActionsView) => unknown>> = {
  podActions,
  holdBack: (view) => holdBack(view, podActions(view), new Map(), 0),
  'back-off': ({ pod }) =>
    pod.spec.containers.map((container) => [
      backOffKey(pod, container),
      backOffMessage({ delayMs: 10_000, advancedAt: 0 }, pod, container),
    ]),
};

const FEW = { numRuns: Math.ceil(PROPERTY.numRuns / 4) };

/** The question as it is after it was asked, and the answers to it and to a copy of it. */
function askTwice<View>(view: View, decide: (view: View) => unknown) {
  const copy = structuredClone(view);
  const answer = decide(view);
  return { before: [copy, answer], after: [view, decide(copy)] };
}

describe('a question is left as it was, and a copy of it has the same answer', () => {
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

describe('asked again of its own answer, it returns the very object', () => {
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

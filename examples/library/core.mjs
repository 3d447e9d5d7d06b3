// podkeep/core: the kubelet's rules as pure functions. Five minutes of back-off pass in no time.
import assert from 'node:assert/strict';
import {
  advanceCrashBackOff,
  computePodPhase,
  computeQosClass,
  crashBackOffEndsAt,
  mergePodStatus,
} from 'podkeep/core';

/** @type {import('podkeep/api').Pod} */
const pod = { metadata: { name: 'web' }, spec: { containers: [{ name: 'main' }] } };

assert.equal(computeQosClass(pod), 'BestEffort');
const containerStatuses = [
  { name: 'main', ready: true, restartCount: 0, image: '', imageID: '', state: { running: {} } },
];
const view = { containerStatuses, isTerminal: false, hasInitialized: true };
assert.equal(computePodPhase(pod, view), 'Running');

// A container that crashes waits 10 s before it starts again, then 20 s, 40 s, and at most five minutes.
const crashed = 1_000_000;
const first = advanceCrashBackOff(undefined, crashed, crashed);
const second = advanceCrashBackOff(first, crashed, crashed);
assert.equal(crashBackOffEndsAt(second, crashed, crashed), crashed + 20_000);

const status = mergePodStatus({
  pod,
  old: { conditions: [{ type: 'example.com/checked', status: 'True' }] },
  status: { phase: 'Running' },
  couldHaveRunningContainers: true,
  now: '2026-01-02T03:04:05Z',
});
assert.equal(status.phase, 'Running');
assert.equal(status.conditions?.[0]?.type, 'example.com/checked', 'conditions of others stay');
console.log('core: ok');

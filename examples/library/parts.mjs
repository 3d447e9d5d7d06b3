// podkeep: the kubelet's parts one by one. Pod workers drive one pod through a sync of your own.
import assert from 'node:assert/strict';
import {
  DecisionHistory,
  KubeletMetrics,
  PodWorkers,
  prometheusExposition,
  seededRandom,
  systemClock,
} from 'podkeep';

const log = { debug() {}, info() {}, warn: console.warn, error: console.error };
const uid = '0f3c';
/** @type {import('podkeep/api').Pod} */
const pod = {
  metadata: { name: 'web', namespace: 'default', uid },
  spec: { containers: [{ name: 'main' }] },
};
/** @type {import('podkeep').RuntimePod} */
const nothing = { ips: [], sandboxes: [], containers: [] };

const decisions = new DecisionHistory({ log });
const metrics = new KubeletMetrics();
/** @type {() => void} */
let synced = () => {};
const firstSync = new Promise((resolve) => (synced = () => resolve(undefined)));
const workers = new PodWorkers({
  clock: systemClock,
  random: seededRandom(1),
  pods: { find: () => ({ pod }) },
  podCache: { peek: () => nothing, newerThan: async () => nothing },
  podSync: {
    syncPod: async () => {
      synced();
      return { terminal: false };
    },
    syncTerminatingPod: async () => {},
    syncTerminatingRuntimePod: async () => {},
    syncTerminatedPod: async () => {},
  },
  events: { record() {} },
  decisions,
  observer: metrics.podWorkers,
  log,
});

workers.updatePod({ updateType: 'create', pod });
await firstSync;
await new Promise((resolve) => {
  workers.updatePod({ updateType: 'kill', pod, kill: { completed: () => resolve(undefined) } });
});
for (const { from, to, why } of decisions.of(uid)) console.log(`${from} -> ${to}: ${why}`);
assert.ok(decisions.of(uid).length > 1, 'every decision about the pod is recorded');
assert.match(
  prometheusExposition.expose(metrics.registry),
  /^kubelet_containers_per_pod_count_sum 1$/m,
);
console.log('parts: ok');
process.exit(0); // a worker would go on to look at its pod every minute

// podkeep/tracing: an OpenTelemetry span around each sync of a pod. Needs @opentelemetry/api.
import assert from 'node:assert/strict';
import { trace } from '@opentelemetry/api';
import { tracePodSync } from 'podkeep/tracing';

// Without an SDK the spans go nowhere; register one to see them.
const tracer = trace.getTracer('example');
const traced = tracePodSync(
  {
    syncPod: async () => ({ terminal: true }),
    syncTerminatingPod: async () => {},
    syncTerminatingRuntimePod: async () => {},
    syncTerminatedPod: async () => {},
  },
  tracer,
);
/** @type {import('podkeep/api').Pod} */
const pod = { metadata: { name: 'web' }, spec: { containers: [{ name: 'main' }] } };
const runtimePod = { ips: [], sandboxes: [], containers: [] };
const request = { pod, runtimePod, mirrorPod: null, updateType: /** @type {const} */ ('sync') };
const { terminal } = await traced.syncPod(request, new AbortController().signal);
assert.equal(terminal, true);
console.log('tracing: ok');

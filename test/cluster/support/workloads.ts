/** The small workloads of the tests: every container is a shell of busybox. */
import type { JsonObject } from '../../../src/lib/json.ts';
import { LIVE } from '../../e2e/support/pod-view.ts';
import { BUSYBOX } from './images/test-images.ts';

export interface WorkloadOptions {
  readonly name: string;
  readonly namespace?: string;
  readonly script?: string;
  /** Joins the fields of the one container. */
  readonly container?: JsonObject;
  /** Joins the fields of the pod's spec. */
  readonly pod?: JsonObject;
  /** Joins the fields of the workload's own spec. */
  readonly spec?: JsonObject;
}

export function pod(options: WorkloadOptions): JsonObject {
  const { name, namespace = 'default' } = options;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels: { app: name } },
    spec: podSpec(options),
  };
}

export function deployment(options: WorkloadOptions): JsonObject {
  return workload('apps/v1', 'Deployment', options);
}

export function daemonSet(options: WorkloadOptions): JsonObject {
  return workload('apps/v1', 'DaemonSet', options);
}

export function job(options: WorkloadOptions): JsonObject {
  const { name, namespace = 'default', spec } = options;
  const template = { spec: { restartPolicy: 'Never', ...podSpec(options) } };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace },
    spec: { template, ...spec },
  };
}

function workload(apiVersion: string, kind: string, options: WorkloadOptions): JsonObject {
  const { name, namespace = 'default', spec } = options;
  const labels = { app: name };
  const template = { metadata: { labels }, spec: podSpec(options) };
  return {
    apiVersion,
    kind,
    metadata: { name, namespace },
    spec: { selector: { matchLabels: labels }, template, ...spec },
  };
}

function podSpec({ script = LIVE, container, pod: more }: WorkloadOptions): JsonObject {
  const main = { name: 'main', image: BUSYBOX, command: ['sh', '-c', script] };
  return { terminationGracePeriodSeconds: 2, containers: [{ ...main, ...container }], ...more };
}

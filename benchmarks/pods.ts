/** Creates running pods of a given size, as the API would have them. */
import type { ContainerStatus, Pod, PodCondition, PodStatus } from '../src/api/pod.ts';

const TIME = '2026-01-02T03:04:05Z';

export function podOf(containerCount: number): Pod {
  const names = Array.from({ length: containerCount }, (_, index) => `c${index}`.padEnd(4, 'x'));
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'default', uid: 'uid-1', generation: 3 },
    spec: {
      restartPolicy: 'Always',
      containers: names.map((name) => ({ name, image: 'registry.example/app:1' })),
    },
    status: statusOf(names.toSorted()),
  };
}

function statusOf(names: readonly string[]): PodStatus {
  const types = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady'];
  const ip = '10.0.0.7';
  return {
    observedGeneration: 3,
    phase: 'Running',
    conditions: [...types, 'PodScheduled', 'example.com/gate'].map(conditionOf),
    hostIP: '192.0.2.1',
    hostIPs: [{ ip: '192.0.2.1' }],
    podIP: ip,
    podIPs: [{ ip }],
    startTime: TIME,
    containerStatuses: names.map(containerOf),
    qosClass: 'Burstable',
  };
}

function conditionOf(type: string): PodCondition {
  return { type, status: 'True', observedGeneration: 3, lastTransitionTime: TIME };
}

function containerOf(name: string): ContainerStatus {
  return {
    name,
    state: { running: { startedAt: TIME } },
    lastState: {
      terminated: {
        exitCode: 1,
        reason: 'Error',
        message: 'the last words of this container',
        startedAt: TIME,
        finishedAt: TIME,
        containerID: `containerd://${name}-0`,
      },
    },
    ready: true,
    restartCount: 1,
    image: 'registry.example/app:1',
    imageID: 'registry.example/app@sha256:0123456789abcdef',
    containerID: `containerd://${name}-1`,
    started: true,
    allocatedResources: { cpu: '100m', memory: '64Mi' },
    resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { memory: '128Mi' } },
  };
}

/** A machine, a reading of it and settings, as tests of nodes need them; and a recorded Node. */
import { NODE_SETTINGS_DEFAULT, type NodeSettings } from '../../src/core/node/node-settings.ts';
import type { NodeReading } from '../../src/core/node/node-status.ts';
import type { MachineInfo } from '../../src/api/machine.ts';
import type { JsonObject } from '../../src/lib/json.ts';

const GIB = 1024 ** 3;

export const MACHINE: MachineInfo = {
  hostname: 'go-node',
  machineID: '3d1219c7c4c5404aaa1f6d2a48adfda4',
  systemUUID: '3d1219c7c4c5404aaa1f6d2a48adfda4',
  bootID: 'boot-1',
  kernelVersion: '6.18.44',
  osImage: 'Debian GNU/Linux 12 (bookworm)',
  operatingSystem: 'linux',
  architecture: 'amd64',
  cpuCount: 2,
  memoryBytes: 24_684_100 * 1024,
  swapBytes: 0,
  hugePages: [
    { pageBytes: 2 * 1024 ** 2, count: 0 },
    { pageBytes: GIB, count: 0 },
  ],
  addresses: ['192.0.2.2'],
};

export const READING: NodeReading = {
  machine: MACHINE,
  storageBytes: 100 * GIB,
  nodeName: 'go-node',
  ips: ['192.0.2.2'],
  kubeletVersion: 'v1.36.4-podkeep',
  kubeletPort: 10_350,
  runtimeVersion: 'containerd://1.6.20',
  images: [],
  volumesInUse: null,
  pressures: new Set(),
  reasons: [],
};

export function nodeSettings(settings: Partial<NodeSettings> = {}): NodeSettings {
  return { ...NODE_SETTINGS_DEFAULT, ...settings };
}

/**
 * The Node that the kubelet of Kubernetes v1.36.4 kept on a machine of two processors, with evictions and
 * local storage isolation switched off. Times, UIDs and addresses are placeholders.
 */
export const RECORDED_NODE: JsonObject = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    annotations: {
      'volumes.kubernetes.io/controller-managed-attach-detach': 'true',
    },
    creationTimestamp: '<time>',
    labels: {
      'beta.kubernetes.io/arch': 'amd64',
      'beta.kubernetes.io/os': 'linux',
      'kubernetes.io/arch': 'amd64',
      'kubernetes.io/hostname': 'go-node',
      'kubernetes.io/os': 'linux',
    },
    name: 'go-node',
    resourceVersion: '12561',
    uid: '<uid>',
  },
  spec: {
    taints: [
      {
        effect: 'NoSchedule',
        key: 'node.kubernetes.io/not-ready',
      },
    ],
  },
  status: {
    addresses: [
      {
        address: '<ip>',
        type: 'InternalIP',
      },
      {
        address: 'go-node',
        type: 'Hostname',
      },
    ],
    allocatable: {
      cpu: '2',
      'hugepages-1Gi': '0',
      'hugepages-2Mi': '0',
      memory: '24684100Ki',
      pods: '110',
    },
    capacity: {
      cpu: '2',
      'hugepages-1Gi': '0',
      'hugepages-2Mi': '0',
      memory: '24684100Ki',
      pods: '110',
    },
    conditions: [
      {
        lastHeartbeatTime: '<time>',
        lastTransitionTime: '<time>',
        message: 'kubelet has sufficient memory available',
        reason: 'KubeletHasSufficientMemory',
        status: 'False',
        type: 'MemoryPressure',
      },
      {
        lastHeartbeatTime: '<time>',
        lastTransitionTime: '<time>',
        message: 'kubelet has no disk pressure',
        reason: 'KubeletHasNoDiskPressure',
        status: 'False',
        type: 'DiskPressure',
      },
      {
        lastHeartbeatTime: '<time>',
        lastTransitionTime: '<time>',
        message: 'kubelet has sufficient PID available',
        reason: 'KubeletHasSufficientPID',
        status: 'False',
        type: 'PIDPressure',
      },
      {
        lastHeartbeatTime: '<time>',
        lastTransitionTime: '<time>',
        message: 'kubelet is posting ready status',
        reason: 'KubeletReady',
        status: 'True',
        type: 'Ready',
      },
    ],
    daemonEndpoints: {
      kubeletEndpoint: {
        Port: 10350,
      },
    },
    declaredFeatures: [
      'ExtendWebSocketsToKubelet',
      'InPlacePodLevelResourcesVerticalScaling',
      'InPlacePodVerticalScalingInitContainers',
      'RestartAllContainersOnContainerExits',
    ],
    nodeInfo: {
      architecture: 'amd64',
      bootID: '<uid>',
      containerRuntimeVersion: 'containerd://1.6.20',
      kernelVersion: '6.18.44-fc-v490',
      kubeProxyVersion: '',
      kubeletVersion: 'v0.0.0-master+$Format:%H$',
      machineID: '3d1219c7c4c5404aaa1f6d2a48adfda4',
      operatingSystem: 'linux',
      osImage: 'Debian GNU/Linux 12 (bookworm)',
      systemUUID: '3d1219c7c4c5404aaa1f6d2a48adfda4',
    },
  },
};

export const RECORDED_LEASE: JsonObject = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: {
    creationTimestamp: '<time>',
    name: 'go-node',
    namespace: 'kube-node-lease',
    ownerReferences: [
      {
        apiVersion: 'v1',
        kind: 'Node',
        name: 'go-node',
        uid: '<uid>',
      },
    ],
    resourceVersion: '12585',
    uid: '<uid>',
  },
  spec: {
    holderIdentity: 'go-node',
    leaseDurationSeconds: 40,
    renewTime: '<time>',
  },
};

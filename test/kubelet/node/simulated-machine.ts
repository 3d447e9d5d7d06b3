/** The machine of a virtual node: two processors, 8 GiB and nothing that changes by itself. */
import type { MachineFacts, MachineInfo } from '../../../src/ports/machine-facts.ts';
import type { NodeView } from '../../../src/kubelet/allocation/allocation-deps.ts';
import type { NodeAgent } from '../../../src/kubelet/node/node-agent.ts';
import { safeSysctls, sysctlAllowlist } from '../../../src/core/admission/sysctls.ts';
import { admissionNodeOf } from '../../../src/kubelet/node/admission-node.ts';

const GIB = 2 ** 30;
const INFO: MachineInfo = {
  hostname: 'imagined',
  machineID: '',
  systemUUID: '',
  bootID: 'first',
  kernelVersion: '6.1.0',
  osImage: 'Imagined',
  operatingSystem: 'linux',
  architecture: 'amd64',
  cpuCount: 2,
  memoryBytes: 8 * GIB,
  swapBytes: 0,
  hugePages: [],
  addresses: ['192.168.0.2'],
};

export const simulatedMachine: MachineFacts = {
  info: () => Promise.resolve(INFO),
  usage: () =>
    Promise.resolve({
      memory: { capacity: INFO.memoryBytes, available: 7 * GIB },
      pids: { capacity: 30_000, available: 29_000 },
    }),
  fileSystem: () =>
    Promise.resolve({
      bytes: { capacity: 100 * GIB, available: 90 * GIB },
      inodes: { capacity: 1_000_000, available: 900_000 },
    }),
};

/** What admission sees of it. */
export function viewOf(agent: () => NodeAgent): NodeView {
  const { operatingSystem: os, kernelVersion } = INFO;
  return {
    node: () => admissionNodeOf(agent().node()),
    allocatable: () => agent().allocatable(),
    pressures: () => [...agent().pressures()],
    platform: {
      os,
      appArmorFault: 'AppArmor is not enabled on the host',
      sysctls: sysctlAllowlist(safeSysctls(os, kernelVersion)),
      declaredFeatures: new Set(),
    },
    resizeLimits: { swap: 'NoSwap', cpuManagerPolicy: 'none', memoryManagerPolicy: 'None' },
  };
}

/** Builds the view of the node that admission and other decisions about pods use. */
import { safeSysctls, sysctlAllowlist } from '../../core/admission/sysctls.ts';
import type { MachineInfo } from '../../api/machine.ts';
import type { NodeView } from '../../kubelet/allocation/allocation-deps.ts';
import type { NodeAgent } from '../../kubelet/node/node-agent.ts';
import { admissionNodeOf } from '../../kubelet/node/admission-node.ts';
import type { KubeletConfig } from '../config/kubelet-config.ts';
import { DECLARED_FEATURES } from './node-settings.ts';

export interface NodePlatform {
  readonly machine: MachineInfo;
  /** The kernel has it, and the runtime puts containers under its profiles. */
  readonly hasAppArmor: boolean;
  /** Pods have the network of the machine. */
  readonly sharesNetwork: boolean;
}

/** Throws SYSCTL_NOT_NAMESPACED. */
export function nodeViewOf(
  agent: () => NodeAgent | undefined,
  { machine, hasAppArmor, sharesNetwork }: NodePlatform,
  { allowedUnsafeSysctls }: KubeletConfig,
): NodeView {
  const { operatingSystem: os, kernelVersion } = machine;
  return {
    node: () => admissionNodeOf(agent()?.node() ?? null),
    allocatable: () => agent()?.allocatable() ?? {},
    pressures: () => [...(agent()?.pressures() ?? [])],
    platform: {
      os,
      appArmorFault: hasAppArmor ? null : 'AppArmor is not enabled on the host',
      sysctls: sysctlAllowlist([...safeSysctls(os, kernelVersion), ...allowedUnsafeSysctls]),
      declaredFeatures: new Set(DECLARED_FEATURES),
      sharesNetwork,
    },
    resizeLimits: { swap: 'NoSwap', cpuManagerPolicy: 'none', memoryManagerPolicy: 'None' },
  };
}

/** The node, as those who decide about pods see it. */
import type { AdmissionNode } from '../../core/admission/admission-view.ts';
import { safeSysctls, sysctlAllowlist } from '../../core/admission/sysctls.ts';
import type { MachineInfo } from '../../api/machine.ts';
import type { NodeView } from '../../kubelet/allocation/allocation-room.ts';
import type { NodeAgent } from '../../kubelet/node/node-agent.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { KubeletConfig } from '../config/kubelet-config.ts';
import { DECLARED_FEATURES } from './node-settings.ts';

export interface NodePlatform {
  readonly machine: MachineInfo;
  /** The kernel has it, and the runtime puts containers under its profiles. */
  readonly hasAppArmor: boolean;
}

/** Throws SYSCTL_NOT_NAMESPACED. */
export function nodeViewOf(
  agent: () => NodeAgent | undefined,
  { machine, hasAppArmor }: NodePlatform,
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
    },
    resizeLimits: { swap: 'NoSwap', cpuManagerPolicy: 'none', memoryManagerPolicy: 'None' },
  };
}

/** The API server has checked it; this only tells a node from what is none. */
export function admissionNodeOf(object: JsonObject | null): AdmissionNode | null {
  return object !== null && isNode(object) ? object : null;
}

function isNode(object: JsonObject): object is JsonObject & AdmissionNode {
  return isJsonObject(object['metadata']);
}

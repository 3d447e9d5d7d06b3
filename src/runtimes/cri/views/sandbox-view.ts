/** Converts CRI's PodSandboxStatus to podkeep's RuntimeSandbox. */
import type { RuntimeSandbox } from '../../../api/runtime-pod.ts';
import type { Sent } from '../messages/message.ts';
import type { PodSandboxStatus } from '../messages/sandbox-messages.ts';

export interface SeenSandbox {
  readonly sandbox: RuntimeSandbox;
  readonly createdAt: bigint;
  readonly ips: readonly string[];
}

export function viewSandbox(status: Sent<typeof PodSandboxStatus>): SeenSandbox {
  const { id, metadata, state, network, linux, createdAt } = status;
  const hostNetwork = linux?.namespaces?.options?.network === 'NODE';
  const ready = state === 'SANDBOX_READY';
  // For pods on the host's network, runtimes may report an address that is not the pod's.
  const ip = hostNetwork ? '' : (network?.ip ?? '');
  const others = (network?.additionalIps ?? []).map((each) => each.ip);
  return {
    sandbox: { id, attempt: metadata?.attempt ?? 0, ready, hostNetwork, ip },
    createdAt,
    ips: ip === '' || !ready ? [] : [ip, ...others].filter(Boolean),
  };
}

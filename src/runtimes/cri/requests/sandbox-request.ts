/** Converts podkeep's SandboxConfig to CRI's, for RunPodSandbox. */
import type { SandboxConfig, SandboxSecurity } from '../../../ports/runtime/sandbox-config.ts';
import { POD_NAME, POD_NAMESPACE, POD_UID } from '../labels.ts';
import type { ToSend } from '../messages/message.ts';
import type {
  LinuxSandboxSecurityContext,
  PodSandboxConfig,
} from '../messages/sandbox-messages.ts';
import { resourcesMessage } from './resources.ts';
import { namespacesMessage, profileMessage, seLinuxMessage, valueMessage } from './security.ts';

export type SandboxMessage = ToSend<typeof PodSandboxConfig>;

export function sandboxMessage(config: SandboxConfig): SandboxMessage {
  const { podUid: uid, podName: name, namespace, attempt, dns } = config;
  return {
    metadata: { uid, name, namespace, attempt },
    // A pod on the host's network has the host's name.
    hostname: config.hostNetwork ? '' : config.hostname,
    logDirectory: config.logFolder,
    dnsConfig: { servers: dns.servers, searches: dns.searches, options: dns.options },
    portMappings: config.hostPorts.map(({ protocol, containerPort, hostPort, hostIp }) => ({
      protocol,
      containerPort,
      hostPort,
      hostIp,
    })),
    // podkeep finds the sandbox again by these labels, so they override labels of the pod.
    labels: {
      ...config.labels,
      [POD_NAME]: name,
      [POD_NAMESPACE]: namespace,
      [POD_UID]: uid,
    },
    annotations: config.annotations,
    linux: {
      cgroupParent: config.cgroupParent,
      sysctls: config.sysctls,
      overhead: config.overhead && resourcesMessage(config.overhead),
      resources: config.resources && resourcesMessage(config.resources),
      securityContext: {
        ...(config.security && securityOf(config.security)),
        namespaceOptions: namespacesMessage(config),
      },
    },
  };
}

function securityOf(security: SandboxSecurity): ToSend<typeof LinuxSandboxSecurityContext> {
  return {
    privileged: security.isPrivileged,
    runAsUser: valueMessage(security.runAsUser),
    runAsGroup: valueMessage(security.runAsGroup),
    supplementalGroups: security.supplementalGroups,
    supplementalGroupsPolicy: security.supplementalGroupsPolicy,
    selinuxOptions: seLinuxMessage(security.seLinux),
    seccomp: profileMessage(security.seccomp),
  };
}

/** Minimal sandboxes and containers. */
import type { ContainerConfig } from '../../src/ports/runtime/container-config.ts';
import type { SandboxConfig } from '../../src/ports/runtime/sandbox-config.ts';

export function sandboxConfigOf(changes: Partial<SandboxConfig> = {}): SandboxConfig {
  return {
    podUid: 'uid-1',
    podName: 'web',
    namespace: 'shop',
    attempt: 0,
    hostname: 'web',
    logFolder: '/var/log/pods/shop_web_uid-1',
    labels: {},
    annotations: {},
    dns: { servers: [], searches: [], options: [] },
    hostNetwork: false,
    hostPid: false,
    hostIpc: false,
    sharesProcesses: false,
    hostPorts: [],
    sysctls: {},
    cgroupParent: '',
    runtimeHandler: '',
    ...changes,
  };
}

export function containerConfigOf(changes: Partial<ContainerConfig> = {}): ContainerConfig {
  return {
    name: 'main',
    attempt: 0,
    image: 'busybox:1.36',
    imageRef: 'sha256:abc',
    command: [],
    args: [],
    workingDir: '',
    env: [],
    mounts: [],
    devices: [],
    logPath: 'main/0.log',
    stdin: false,
    stdinOnce: false,
    tty: false,
    labels: {},
    annotations: {},
    resources: {},
    security: {
      isPrivileged: false,
      isReadOnlyRoot: false,
      noNewPrivileges: false,
      addedCapabilities: [],
      droppedCapabilities: [],
      supplementalGroups: [],
    },
    stopSignal: '',
    ...changes,
  };
}

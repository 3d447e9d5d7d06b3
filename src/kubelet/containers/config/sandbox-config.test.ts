import { expect, test } from 'vitest';
import { livePod } from '../../../../test/kubelet/runs/live-pod.ts';
import { sandboxConfig } from './sandbox-config.ts';

const FRAME = {
  attempt: 2,
  dns: { servers: [], searches: [], options: [] },
  logFolder: '/var/log/pods/rec_web_uid-of-web',
  cgroupParent: '',
  clusterDomain: 'cluster.local',
  runtimeHandler: '',
};

test('the defaults of a spec', () => {
  expect(sandboxConfig(livePod('web'), FRAME)).toMatchObject({
    podUid: 'uid-of-web',
    podName: 'web',
    namespace: 'rec',
    attempt: 2,
    hostname: 'web',
    logFolder: '/var/log/pods/rec_web_uid-of-web',
    hostNetwork: false,
    hostPid: false,
    hostIpc: false,
    sharesProcesses: false,
    hostPorts: [],
    sysctls: {},
    runtimeHandler: '',
  });
});

test("the sandbox itself is confined, and runs as the pod's user", () => {
  const securityContext = { runAsUser: 7, runAsGroup: 8, fsGroup: 9, supplementalGroups: [10] };
  const initContainers = [{ name: 'setup', securityContext: { privileged: true } }];
  const pod = livePod('web', { securityContext, initContainers });
  expect(sandboxConfig(pod, FRAME).security).toEqual({
    isPrivileged: true,
    runAsUser: 7,
    runAsGroup: 8,
    supplementalGroups: [9, 10],
    seccomp: 'runtime/default',
  });
});

test('a pod on the host network has no hostname', () => {
  const config = sandboxConfig(livePod('web', { hostNetwork: true, hostPID: true }), FRAME);
  expect(config).toMatchObject({ hostname: '', hostNetwork: true, hostPid: true });
});

test('all ports are listed, with hostPort zero where the host opens none, as the kubelet does', () => {
  const containers = [
    { name: 'a', ports: [{ containerPort: 80, hostPort: 8080 }, { containerPort: 81 }] },
    {
      name: 'b',
      ports: [{ containerPort: 53, hostPort: 53, protocol: 'UDP' as const, hostIP: '127.0.0.1' }],
    },
  ];
  expect(sandboxConfig(livePod('web', { containers }), FRAME).hostPorts).toEqual([
    { protocol: 'TCP', containerPort: 80, hostPort: 8080, hostIp: '' },
    { protocol: 'TCP', containerPort: 81, hostPort: 0, hostIp: '' },
    { protocol: 'UDP', containerPort: 53, hostPort: 53, hostIp: '127.0.0.1' },
  ]);
});

test('sysctls may be written with slashes, and are passed with dots', () => {
  const sysctls = [
    { name: 'net/ipv4/conf/eth0.100/forwarding', value: '1' },
    { name: 'kernel.shm_rmid_forced', value: '0' },
  ];
  const config = sandboxConfig(livePod('web', { securityContext: { sysctls } }), FRAME);
  expect(config.sysctls).toEqual({
    'net.ipv4.conf.eth0/100.forwarding': '1',
    'kernel.shm_rmid_forced': '0',
  });
});

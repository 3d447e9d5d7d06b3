/**
 * The checks, in the words of Kubernetes' own plugin. `npx tsx scripts/compare-pod-security.ts` compares them
 * with the plugin itself, on the pods that Kubernetes tests it with.
 */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../lib/json.ts';
import type { PodSecurityLevel } from './level.ts';
import { describeReasons, describeViolations, violationsOf } from './standards.ts';

const RESTRICTED_CONTAINER = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
};

/** A pod that every level allows, with changes. */
function podWith(spec: JsonObject = {}, metadata: JsonObject = {}) {
  return {
    metadata,
    spec: {
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [{ name: 'a', securityContext: RESTRICTED_CONTAINER }],
      ...spec,
    },
  };
}

function evaluate(
  level: PodSecurityLevel,
  pod: ReturnType<typeof podWith>,
  version: number | null = null,
): string {
  return describeViolations(violationsOf(pod, { level, version }));
}

function container(name: string, fields: JsonObject = {}, security: JsonObject = {}): JsonObject {
  return { name, securityContext: { ...RESTRICTED_CONTAINER, ...security }, ...fields };
}

/** Two containers with the fields, and one without. */
function twice(fields: JsonObject, security: JsonObject = {}): JsonObject {
  return {
    initContainers: [container('b', fields, security)],
    containers: [container('a'), container('c', fields, security)],
  };
}

const APP_ARMOR = 'container.apparmor.security.beta.kubernetes.io/a';

describe('baseline', () => {
  it.each<readonly [string, JsonObject, string]>([
    ['nothing', {}, ''],
    [
      'namespaces of the host',
      { hostNetwork: true, hostPID: true, hostIPC: true },
      'host namespaces (hostNetwork=true, hostPID=true, hostIPC=true)',
    ],
    [
      'a path of the host',
      {
        volumes: [
          { name: 'v', hostPath: { path: '/' } },
          { name: 'w', emptyDir: {} },
        ],
      },
      'hostPath volumes (volume "v")',
    ],
    [
      'ports of the host',
      twice({ ports: [{ hostPort: 90 }, { hostPort: 8080 }, { hostPort: 0 }] }),
      'hostPort (containers "b", "c" use hostPorts 8080, 90)',
    ],
    [
      'one port of the host',
      { containers: [container('a', { ports: [{ hostPort: 80 }] })] },
      'hostPort (container "a" uses hostPort 80)',
    ],
    [
      'hosts of probes and hooks',
      {
        containers: [
          container('b', { livenessProbe: { tcpSocket: { host: '10.0.0.1' } } }),
          container('a', { lifecycle: { preStop: { httpGet: { host: 'x' } } } }),
        ],
      },
      'probe or lifecycle host (containers "a", "b" use probe or lifecycle hosts "10.0.0.1", "x")',
    ],
    [
      'privileged containers',
      twice({}, { privileged: true }),
      'privileged (containers "b", "c" must not set securityContext.privileged=true)',
    ],
    [
      'a privileged ephemeral container',
      { ephemeralContainers: [container('e', {}, { privileged: true })] },
      'privileged (container "e" must not set securityContext.privileged=true)',
    ],
    [
      'capabilities',
      twice({}, { capabilities: { add: ['SYS_ADMIN', 'CHOWN', 'NET_RAW'] } }),
      'non-default capabilities (containers "b", "c" must not include "NET_RAW", "SYS_ADMIN" in securityContext.capabilities.add)',
    ],
    [
      'an unmasked /proc',
      { containers: [container('a', {}, { procMount: 'Unmasked' })] },
      'procMount (container "a" must not set securityContext.procMount to "Unmasked")',
    ],
    [
      'an unmasked /proc in a user namespace',
      { hostUsers: false, containers: [container('a', {}, { procMount: 'Unmasked' })] },
      '',
    ],
    [
      'sysctls',
      {
        securityContext: { sysctls: [{ name: 'a' }, { name: 'net.ipv4.tcp_rmem' }, { name: 'b' }] },
      },
      'forbidden sysctls (a, b)',
    ],
    [
      'no seccomp',
      {
        securityContext: { seccompProfile: { type: 'Unconfined' } },
        ...twice({}, { seccompProfile: { type: 'Unconfined' } }),
      },
      'seccompProfile (pod and containers "b", "c" must not set securityContext.seccompProfile.type to "Unconfined")',
    ],
    [
      'SELinux options',
      {
        securityContext: { seLinuxOptions: { type: 'x', user: 'u' } },
        containers: [container('a', {}, { seLinuxOptions: { role: 'r', type: 'container_t' } })],
      },
      'seLinuxOptions (pod and container "a" set forbidden securityContext.seLinuxOptions: type "x"; user may not be set; role may not be set)',
    ],
    [
      'a process of a Windows host',
      {
        securityContext: { windowsOptions: { hostProcess: true } },
        containers: [container('a', {}, { windowsOptions: { hostProcess: true } })],
      },
      'hostProcess (pod and container "a" must not set securityContext.windowsOptions.hostProcess=true)',
    ],
  ])("reports %s in Kubernetes' words", (_name, spec, expected) => {
    expect(evaluate('baseline', podWith(spec))).toBe(expected);
  });

  it("reports pods without AppArmor in Kubernetes' words", () => {
    const unconfined = { appArmorProfile: { type: 'Unconfined' } };
    const annotations = { [APP_ARMOR]: 'unconfined', 'other/a': 'unconfined' };
    const pod = podWith({ containers: [container('a', {}, unconfined)] }, { annotations });
    expect(evaluate('baseline', pod)).toBe(
      'forbidden AppArmor profiles (container "a" and annotation must not set AppArmor profile type to ' +
        `"Unconfined", "${APP_ARMOR}="unconfined"")`,
    );
  });
});

describe('restricted', () => {
  it.each<readonly [string, JsonObject, string]>([
    ['nothing', {}, ''],
    [
      'a container that says nothing',
      { securityContext: {}, containers: [{ name: 'a' }] },
      'allowPrivilegeEscalation != false (container "a" must set securityContext.allowPrivilegeEscalation=false), ' +
        'unrestricted capabilities (container "a" must set securityContext.capabilities.drop=["ALL"]), ' +
        'runAsNonRoot != true (pod or container "a" must set securityContext.runAsNonRoot=true), ' +
        'seccompProfile (pod or container "a" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
    ],
    [
      'capabilities that are added and not dropped',
      {
        containers: [
          container('a', {}, { capabilities: { add: ['CHOWN', 'NET_BIND_SERVICE'] } }),
          container('b', {}, { capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] } }),
        ],
      },
      'unrestricted capabilities (container "a" must set securityContext.capabilities.drop=["ALL"]; ' +
        'container "a" must not include "CHOWN" in securityContext.capabilities.add)',
    ],
    [
      'volumes of the node',
      {
        volumes: [
          { name: 'v', nfs: {} },
          { name: 'w', hostPath: {} },
          { name: 'x', hostPath: {} },
          { name: 'y' },
          { name: 'z', projected: {} },
        ],
      },
      'restricted volume types (volumes "v", "w", "x", "y" use restricted volume types "hostPath", "nfs", "unknown")',
    ],
    [
      'root',
      {
        securityContext: {
          runAsNonRoot: false,
          runAsUser: 0,
          seccompProfile: { type: 'Localhost' },
        },
        containers: [container('a', {}, { runAsNonRoot: false, runAsUser: 0 }), container('b')],
      },
      'runAsNonRoot != true (pod and container "a" must not set securityContext.runAsNonRoot=false), ' +
        'runAsUser=0 (pod and container "a" must not set runAsUser=0)',
    ],
    [
      'root in a user namespace',
      {
        hostUsers: false,
        securityContext: { runAsUser: 0, seccompProfile: { type: 'Localhost' } },
      },
      '',
    ],
    [
      'an unmasked /proc in a user namespace',
      { hostUsers: false, containers: [container('a', {}, { procMount: 'Unmasked' })] },
      'procMount (container "a" must not set securityContext.procMount to "Unmasked")',
    ],
    [
      'a pod for Windows',
      {
        os: { name: 'windows' },
        securityContext: { runAsNonRoot: true },
        containers: [{ name: 'a' }],
      },
      '',
    ],
  ])("reports %s in Kubernetes' words", (_name, spec, expected) => {
    expect(evaluate('restricted', podWith(spec))).toBe(expected);
  });

  it('does not check the level privileged', () => {
    expect(evaluate('privileged', podWith({ hostPID: true }))).toBe('');
  });

  it('lists only the reasons where details would be too many', () => {
    const violations = violationsOf(podWith({ hostPID: true, containers: [{ name: 'a' }] }), {
      level: 'restricted',
      version: null,
    });
    expect(describeReasons(violations)).toBe(
      'host namespaces, allowPrivilegeEscalation != false, unrestricted capabilities',
    );
  });
});

describe('versions', () => {
  const engine = { securityContext: { seLinuxOptions: { type: 'container_engine_t' } } };
  const sysctl = (name: string) => ({ securityContext: { sysctls: [{ name }] } });
  const unmasked = {
    hostUsers: false,
    containers: [container('a', {}, { procMount: 'Unmasked' })],
  };
  const probe = { containers: [container('a', { startupProbe: { httpGet: { host: 'x' } } })] };
  it.each<readonly [string, PodSecurityLevel, JsonObject, number]>([
    ['sysctls', 'baseline', sysctl('net.ipv4.ip_local_reserved_ports'), 27],
    ['sysctls', 'baseline', sysctl('net.ipv4.tcp_fin_timeout'), 29],
    ['sysctls', 'baseline', sysctl('net.ipv4.tcp_wmem'), 32],
    ['SELinux types', 'baseline', engine, 31],
    ['an unmasked /proc', 'baseline', unmasked, 35],
    ['Windows', 'restricted', { os: { name: 'windows' }, containers: [{ name: 'a' }] }, 25],
  ])('%s are allowed from one version on (%s, %j, v1.%d)', (_name, level, spec, minor) => {
    expect(evaluate(level, podWith(spec), minor - 1)).not.toBe('');
    expect(evaluate(level, podWith(spec), minor)).toBe('');
    expect(evaluate(level, podWith(spec))).toBe('');
  });

  it.each<readonly [string, PodSecurityLevel, JsonObject, number]>([
    ['hosts of probes', 'baseline', probe, 34],
    [
      'escalation',
      'restricted',
      { containers: [container('a', {}, { allowPrivilegeEscalation: true })] },
      8,
    ],
    ['seccomp', 'restricted', { securityContext: { runAsNonRoot: true } }, 19],
    ['capabilities', 'restricted', { containers: [container('a', {}, { capabilities: {} })] }, 22],
    ['root', 'restricted', { containers: [container('a', {}, { runAsUser: 0 })] }, 23],
  ])('%s is forbidden from one version on (%s, %j, v1.%d)', (_name, level, spec, minor) => {
    expect(evaluate(level, podWith(spec), minor - 1)).toBe('');
    expect(evaluate(level, podWith(spec), minor)).not.toBe('');
    expect(evaluate(level, podWith(spec), 99)).not.toBe('');
  });

  it('read seccomp annotations before there were fields', () => {
    const key = 'seccomp.security.alpha.kubernetes.io/pod';
    const pod = podWith({}, { annotations: { [key]: 'unconfined' } });
    expect(evaluate('baseline', pod, 18)).toBe(
      `seccompProfile (forbidden annotation ${key}="unconfined")`,
    );
    expect(evaluate('baseline', pod, 19)).toBe('');
  });
});

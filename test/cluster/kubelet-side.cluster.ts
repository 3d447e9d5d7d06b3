/**
 * What a kubelet does around a container runtime, seen from the runtime's side: what is written on
 * containers, what is in their files, which groups hold them, and which images they get.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ImageCollector } from '../../src/kubelet/images/image-collector.ts';
import { containerHash } from '../../src/kubelet/pod-runner/container-labels.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { systemClock as clock } from '../../src/platform/system-clock.ts';
import { openCriRuntime } from '../../src/runtimes/cri/cri-runtime.ts';
import { containerOf, type PodView } from '../e2e/support/pod-view.ts';
import { waitFor } from '../e2e/support/patience.ts';
import { silentLog } from '../support/silent-ports.ts';
import type { ClusterNode } from './support/cluster-node.ts';
import { criCall } from './support/cri-call.ts';
import { BUSYBOX, NAMED_USER, PAUSE } from './support/images/test-images.ts';
import { Registry } from './support/images/registry.ts';
import { Rig } from './support/rig.ts';
import type { Wire } from './support/wire.ts';
import { pod } from './support/workloads.ts';

const HOST_PORT = 18_091;
const LIVE = 'trap "exit 0" TERM; while :; do sleep 0.1; done';

/** A node that is told more than most. */
class StrictRig extends Rig {
  override join(name: string, config: JsonObject = {}): Promise<ClusterNode> {
    return super.join(name, {
      clusterDNS: ['10.96.0.10'],
      clusterDomain: 'cluster.local',
      podPidsLimit: 64,
      seccompDefault: true,
      serializeImagePulls: false,
      ...config,
    });
  }
}

const rig = new StrictRig('kubelet-side', '2.1');
beforeAll(() => rig.start());
afterAll(() => rig.remove());

async function saysAtItsEnd(name: string, script: string, more: JsonObject = {}): Promise<string> {
  await rig.apply(pod({ name, script, ...more, pod: { restartPolicy: 'Never', ...podOf(more) } }));
  await rig.over(name);
  return rig.kubectl(`logs ${name}`);
}

function podOf(more: JsonObject): JsonObject {
  return (more['pod'] ?? {}) as JsonObject;
}

async function statusOf(view: PodView): Promise<Wire> {
  const id = (containerOf(view)?.containerID ?? '').replace(/^.*:\/\//, '');
  const answer = await criCall(rig.containerd.socket, 'RuntimeService', 'ContainerStatus', [
    [1, id],
  ]);
  return answer.message(1);
}

test('a container carries what a kubelet writes on it, so that either takes it over', async () => {
  const preStop = { exec: { command: ['true'] } };
  const ports = [{ name: 'http', containerPort: 80, protocol: 'TCP' }];
  await rig.apply(pod({ name: 'written', container: { lifecycle: { preStop }, ports } }));
  const view = await rig.ready('written');
  const status = await statusOf(view);
  expect(status.map(12)).toEqual({
    'io.kubernetes.container.name': 'main',
    'io.kubernetes.pod.name': 'written',
    'io.kubernetes.pod.namespace': 'default',
    'io.kubernetes.pod.uid': view.metadata.uid,
  });
  expect(status.map(13)).toEqual({
    'io.kubernetes.container.hash': containerHash({ name: 'main', image: BUSYBOX }),
    'io.kubernetes.container.restartCount': '0',
    'io.kubernetes.container.terminationMessagePath': '/dev/termination-log',
    'io.kubernetes.container.terminationMessagePolicy': 'File',
    'io.kubernetes.container.preStopHandler': '{"exec":{"command":["true"]}}',
    'io.kubernetes.container.ports': '[{"name":"http","containerPort":80,"protocol":"TCP"}]',
    'io.kubernetes.pod.terminationGracePeriod': '2',
  });
  expect(status.text(15)).toMatch(/\/default_written_[0-9a-f-]+\/main\/0\.log$/);
  const mounted = status.messages(14).map((mount) => mount.text(1));
  expect(mounted).toEqual(
    expect.arrayContaining([
      '/etc/hosts',
      '/dev/termination-log',
      '/var/run/secrets/kubernetes.io/serviceaccount',
    ]),
  );
  await rig.kubectl('delete pod written --wait=false');
});

test('a pod knows its name, its neighbours and whom to ask for names', async () => {
  const said = await saysAtItsEnd('named', 'hostname; cat /etc/hosts; cat /etc/resolv.conf', {
    pod: {
      hostname: 'db',
      subdomain: 'data',
      hostAliases: [{ ip: '10.1.2.3', hostnames: ['friend', 'friend.example'] }],
      dnsConfig: { options: [{ name: 'edns0' }], searches: ['example.org'] },
    },
  });
  const [hostname] = said.split('\n');
  expect(hostname).toBe('db');
  expect(said).toContain('# Kubernetes-managed hosts file.\n127.0.0.1\tlocalhost\n');
  expect(said).toMatch(/^[\d.]+\tdb\.data\.default\.svc\.cluster\.local\tdb$/m);
  expect(said).toContain('# Entries added by HostAliases.\n10.1.2.3\tfriend\tfriend.example\n');
  expect(said).toMatch(
    /^search default\.svc\.cluster\.local svc\.cluster\.local cluster\.local .*example\.org$/m,
  );
  expect(said).toContain('nameserver 10.96.0.10\n');
  expect(said).toMatch(/^options ndots:5 edns0$/m);
});

test('a port of the host leads into the pod', async () => {
  const script = 'mkdir /www && echo hello > /www/index.html && exec httpd -f -p 8080 -h /www';
  const ports = [{ containerPort: 8080, hostPort: HOST_PORT }];
  await rig.apply(pod({ name: 'mapped', script, container: { ports } }));
  await rig.ready('mapped');
  const text = await waitFor({ what: 'the port to answer', deadlineMs: 20_000 }, async () => {
    const answer = await fetch(`http://127.0.0.1:${HOST_PORT}/`).catch(() => undefined);
    return answer?.ok ? answer.text() : undefined;
  });
  expect(text).toBe('hello\n');
  await rig.kubectl('delete pod mapped --wait=false');
});

test('a container is confined as its pod and its node say', async () => {
  const script =
    'id -u; id -g; id -G; grep -E "^(Seccomp|NoNewPrivs):" /proc/self/status; ' +
    'touch /x 2>&1; cat /proc/timer_list | wc -c; cat /proc/sys/net/ipv4/ip_local_port_range';
  const said = await saysAtItsEnd('confined', script, {
    pod: {
      securityContext: {
        runAsUser: 1234,
        runAsGroup: 2345,
        fsGroup: 3456,
        sysctls: [{ name: 'net.ipv4.ip_local_port_range', value: '30000 31000' }],
      },
    },
    container: {
      securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
    },
  });
  expect(said.split('\n').slice(0, 3)).toEqual(['1234', '2345', '2345 3456']);
  expect(said).toMatch(/^NoNewPrivs:\s+1$/m);
  expect(said).toMatch(/^Seccomp:\s+2$/m);
  expect(said).toContain('Read-only file system');
  expect(said).toMatch(/^0$/m);
  expect(said).toContain('30000\t31000');
});

test('an image of root is refused to a container that must not be root', async () => {
  const container = { securityContext: { runAsNonRoot: true } };
  await rig.apply(pod({ name: 'rootless', container }));
  const words = 'container has runAsNonRoot and image will run as root (pod: "rootless_default(';
  const view = await rig.podWhen('rootless', 'to be refused', (each) =>
    (containerOf(each)?.state.waiting?.message ?? '').startsWith(words),
  );
  expect(containerOf(view)?.state.waiting?.reason).toBe('CreateContainerConfigError');
  await rig.event('rootless', 'Failed', `Error: ${words}`);
  await rig.kubectl('delete pod rootless --wait=false');
});

test('every pod has a group of its own, which goes with it', async () => {
  const both = { cpu: '200m', memory: '64Mi' };
  const resources = { requests: both, limits: both };
  await rig.apply(pod({ name: 'held', script: LIVE, container: { resources } }));
  await rig.apply(pod({ name: 'loose', script: LIVE }));
  const [held, loose] = [await rig.ready('held'), await rig.ready('loose')];
  const groupOf = (view: PodView, controller: string, below = ''): string =>
    path.join(
      '/sys/fs/cgroup',
      controller,
      rig.containerd.cgroupRoot,
      'kubepods',
      below,
      `pod${view.metadata.uid}`,
    );
  const read = (...parts: readonly string[]): string =>
    readFileSync(path.join(...parts), 'utf8').trim();
  expect(read(groupOf(held, 'memory'), 'memory.limit_in_bytes')).toBe(String(64 * 2 ** 20));
  expect(read(groupOf(held, 'cpu'), 'cpu.cfs_quota_us')).toBe('20000');
  expect(read(groupOf(held, 'pids'), 'pids.max')).toBe('64');
  expect(read(groupOf(loose, 'cpu', 'besteffort'), 'cpu.shares')).toBe('2');
  const id = (containerOf(held)?.containerID ?? '').replace(/^.*:\/\//, '');
  expect(existsSync(path.join(groupOf(held, 'memory'), id))).toBe(true);
  await rig.kubectl('delete pod held loose');
  expect(existsSync(groupOf(held, 'memory'))).toBe(false);
  expect(existsSync(groupOf(loose, 'pids', 'besteffort'))).toBe(false);
});

test('a class that the runtime does not have, and users of its own, are refused in words', async () => {
  await rig.apply({
    apiVersion: 'node.k8s.io/v1',
    kind: 'RuntimeClass',
    metadata: { name: 'nonesuch' },
    handler: 'nonesuch',
  });
  await rig.apply(pod({ name: 'classy', pod: { runtimeClassName: 'nonesuch' } }));
  const { message } = await rig.event('classy', 'FailedCreatePodSandBox', 'nonesuch');
  expect(message).toMatch(/^Failed to create pod sandbox: rpc error: code = \w+ desc = .*nonesuch/);
  await rig.apply(pod({ name: 'mapped-users', pod: { hostUsers: false } }));
  await rig.event(
    'mapped-users',
    'FailedCreatePodSandBox',
    "Failed to create pod sandbox: can't set `spec.hostUsers: false`",
  );
  await rig.kubectl('delete pod classy mapped-users --wait=false');
});

test('an image is pulled with the pull secret that fits, and its events say so', async () => {
  const credentials = { username: 'someone', password: 'secret' };
  const registry = await Registry.start({ layout: rig.containerd.images, credentials });
  try {
    const image = `${registry.host}/nonroot:1`;
    const container = { image, imagePullPolicy: 'Always' };
    await rig.apply(pod({ name: 'stranger', container }));
    await rig.event('stranger', 'Failed', `Failed to pull image "${image}"`);
    await rig.event('stranger', 'BackOff', `Back-off pulling image "${image}"`);
    const auths = (password: string): string =>
      JSON.stringify({ auths: { [registry.host]: { username: 'someone', password } } });
    await rig.apply(secretOf('wrong', auths('wrong')), secretOf('right', auths('secret')));
    const imagePullSecrets = [{ name: 'wrong' }, { name: 'right' }, { name: 'missing' }];
    await rig.apply(pod({ name: 'known', container, pod: { imagePullSecrets } }));
    await rig.ready('known');
    await rig.event('known', 'FailedToRetrieveImagePullSecret', '(missing)');
    const { message } = await rig.event('known', 'Pulled', `Successfully pulled image "${image}"`);
    expect(message).toMatch(
      /^Successfully pulled image "[^"]+" in [\d.]+m?s \([\d.]+m?s including waiting\)\. Image size: [1-9]\d* bytes\.$/,
    );
    // It is here now, and still only for those whose secret it was pulled with.
    const present = { image, imagePullPolicy: 'IfNotPresent' };
    await rig.apply(pod({ name: 'second', container: present, pod: { imagePullSecrets } }));
    await rig.ready('second');
    await rig.event(
      'second',
      'Pulled',
      'already present on machine and can be accessed by the pod',
    );
    await rig.apply(pod({ name: 'thief', container: present }));
    await rig.event('thief', 'Failed', `Failed to pull image "${image}"`);
    await rig.kubectl('delete pod stranger known second thief');
  } finally {
    await registry.stop();
  }
});

test('images that nobody uses make room, and those in use and of sandboxes stay', async () => {
  await rig.apply(pod({ name: 'user', script: LIVE }));
  await rig.ready('user');
  const runtime = await openCriRuntime({
    endpoint: rig.containerd.endpoint,
    clock,
    log: silentLog,
  });
  try {
    const told: string[] = [];
    const collector = new ImageCollector({
      clock,
      log: silentLog,
      runtime,
      policy: { highThresholdPercent: 1, lowThresholdPercent: 0, ageMinMs: 0, ageMaxMs: 0 },
      events: { recordNode: (_type, reason) => told.push(reason) },
    });
    await expect(collector.collect()).rejects.toThrow('Insufficient free disk space');
    expect(told).toEqual(['FreeDiskSpaceFailed']);
    const names = (await runtime.images.list()).flatMap((image) => image.names);
    expect(names).toContain(BUSYBOX);
    expect(names).toContain(PAUSE);
    expect(names).not.toContain(NAMED_USER);
  } finally {
    await runtime.close();
  }
});

function secretOf(name: string, config: string): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: 'default' },
    type: 'kubernetes.io/dockerconfigjson',
    stringData: { '.dockerconfigjson': config },
  };
}

/**
 * What a kubelet does around a container runtime, seen from the runtime's side: labels and annotations of
 * containers, their files, their control groups, and their images.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ImageCollector } from '../../src/kubelet/images/image-collector.ts';
import { containerHash } from '../../src/core/pod/container-labels.ts';
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
import { ClusterHarness } from './support/cluster-harness.ts';
import type { Wire } from './support/wire.ts';
import { pod } from './support/workloads.ts';

const HOST_PORT = 18_091;
const LIVE = 'trap "exit 0" TERM; while :; do sleep 0.1; done';

/** A node with more settings than most. */
class StrictHarness extends ClusterHarness {
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

const harness = new StrictHarness('kubelet-side', '2.1');
beforeAll(() => harness.start());
afterAll(() => harness.remove());

async function saysAtItsEnd(name: string, script: string, more: JsonObject = {}): Promise<string> {
  await harness.apply(
    pod({ name, script, ...more, pod: { restartPolicy: 'Never', ...podOf(more) } }),
  );
  await harness.over(name);
  return harness.kubectl(`logs ${name}`);
}

function podOf(more: JsonObject): JsonObject {
  return (more['pod'] ?? {}) as JsonObject;
}

async function statusOf(view: PodView): Promise<Wire> {
  const id = (containerOf(view)?.containerID ?? '').replace(/^.*:\/\//, '');
  const answer = await criCall(harness.containerd.socket, 'RuntimeService', 'ContainerStatus', [
    [1, id],
  ]);
  return answer.message(1);
}

test('a container has the labels and annotations of a kubelet, so that either can adopt it', async () => {
  const preStop = { exec: { command: ['true'] } };
  const ports = [{ name: 'http', containerPort: 80, protocol: 'TCP' }];
  await harness.apply(pod({ name: 'written', container: { lifecycle: { preStop }, ports } }));
  const view = await harness.ready('written');
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
  await harness.kubectl('delete pod written --wait=false');
});

test('a pod has its hostname, its hosts file and its DNS servers', async () => {
  const given = await saysAtItsEnd('named', 'hostname; cat /etc/hosts; cat /etc/resolv.conf', {
    pod: {
      hostname: 'db',
      subdomain: 'data',
      hostAliases: [{ ip: '10.1.2.3', hostnames: ['friend', 'friend.example'] }],
      dnsConfig: { options: [{ name: 'edns0' }], searches: ['example.org'] },
    },
  });
  const [hostname] = given.split('\n');
  expect(hostname).toBe('db');
  expect(given).toContain('# Kubernetes-managed hosts file.\n127.0.0.1\tlocalhost\n');
  expect(given).toMatch(/^[\d.]+\tdb\.data\.default\.svc\.cluster\.local\tdb$/m);
  expect(given).toContain('# Entries added by HostAliases.\n10.1.2.3\tfriend\tfriend.example\n');
  expect(given).toMatch(
    /^search default\.svc\.cluster\.local svc\.cluster\.local cluster\.local .*example\.org$/m,
  );
  expect(given).toContain('nameserver 10.96.0.10\n');
  expect(given).toMatch(/^options ndots:5 edns0$/m);
});

test('a host port leads to the pod', async () => {
  const script = 'mkdir /www && echo hello > /www/index.html && exec httpd -f -p 8080 -h /www';
  const ports = [{ containerPort: 8080, hostPort: HOST_PORT }];
  await harness.apply(pod({ name: 'mapped', script, container: { ports } }));
  await harness.ready('mapped');
  const text = await waitFor({ what: 'the port to answer', deadlineMs: 20_000 }, async () => {
    const answer = await fetch(`http://127.0.0.1:${HOST_PORT}/`).catch(() => undefined);
    return answer?.ok ? answer.text() : undefined;
  });
  expect(text).toBe('hello\n');
  await harness.kubectl('delete pod mapped --wait=false');
});

test('a container is confined as its pod and its node configure it', async () => {
  const script =
    'id -u; id -g; id -G; grep -E "^(Seccomp|NoNewPrivs):" /proc/self/status; ' +
    'touch /x 2>&1; cat /proc/timer_list | wc -c; cat /proc/sys/net/ipv4/ip_local_port_range';
  const given = await saysAtItsEnd('confined', script, {
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
  expect(given.split('\n').slice(0, 3)).toEqual(['1234', '2345', '2345 3456']);
  expect(given).toMatch(/^NoNewPrivs:\s+1$/m);
  expect(given).toMatch(/^Seccomp:\s+2$/m);
  expect(given).toContain('Read-only file system');
  expect(given).toMatch(/^0$/m);
  expect(given).toContain('30000\t31000');
});

test('an image that runs as root is refused for a container with runAsNonRoot', async () => {
  const container = { securityContext: { runAsNonRoot: true } };
  await harness.apply(pod({ name: 'rootless', container }));
  const words = 'container has runAsNonRoot and image will run as root (pod: "rootless_default(';
  const view = await harness.podWhen('rootless', 'to be refused', (each) =>
    (containerOf(each)?.state.waiting?.message ?? '').startsWith(words),
  );
  expect(containerOf(view)?.state.waiting?.reason).toBe('CreateContainerConfigError');
  await harness.event('rootless', 'Failed', `Error: ${words}`);
  await harness.kubectl('delete pod rootless --wait=false');
});

test('every pod has its own control group, which is removed with it', async () => {
  const both = { cpu: '200m', memory: '64Mi' };
  const resources = { requests: both, limits: both };
  await harness.apply(pod({ name: 'held', script: LIVE, container: { resources } }));
  await harness.apply(pod({ name: 'loose', script: LIVE }));
  const [held, loose] = [await harness.ready('held'), await harness.ready('loose')];
  const groupOf = (view: PodView, controller: string, below = ''): string =>
    path.join(
      '/sys/fs/cgroup',
      controller,
      harness.containerd.cgroupRoot,
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
  await harness.kubectl('delete pod held loose');
  expect(existsSync(groupOf(held, 'memory'))).toBe(false);
  expect(existsSync(groupOf(loose, 'pids', 'besteffort'))).toBe(false);
});

test('an unknown runtime class, and user namespaces, are refused with a message', async () => {
  await harness.apply({
    apiVersion: 'node.k8s.io/v1',
    kind: 'RuntimeClass',
    metadata: { name: 'nonesuch' },
    handler: 'nonesuch',
  });
  await harness.apply(pod({ name: 'classy', pod: { runtimeClassName: 'nonesuch' } }));
  const { message } = await harness.event('classy', 'FailedCreatePodSandBox', 'nonesuch');
  expect(message).toMatch(/^Failed to create pod sandbox: rpc error: code = \w+ desc = .*nonesuch/);
  await harness.apply(pod({ name: 'mapped-users', pod: { hostUsers: false } }));
  await harness.event(
    'mapped-users',
    'FailedCreatePodSandBox',
    "Failed to create pod sandbox: can't set `spec.hostUsers: false`",
  );
  await harness.kubectl('delete pod classy mapped-users --wait=false');
});

test('an image is pulled with the matching pull secret, and its events say so', async () => {
  const credentials = { username: 'someone', password: 'secret' };
  const registry = await Registry.start({ layout: harness.containerd.images, credentials });
  try {
    const image = `${registry.host}/nonroot:1`;
    const container = { image, imagePullPolicy: 'Always' };
    await harness.apply(pod({ name: 'stranger', container }));
    await harness.event('stranger', 'Failed', `Failed to pull image "${image}"`);
    await harness.event('stranger', 'BackOff', `Back-off pulling image "${image}"`);
    const auths = (password: string): string =>
      JSON.stringify({ auths: { [registry.host]: { username: 'someone', password } } });
    await harness.apply(secretOf('wrong', auths('wrong')), secretOf('right', auths('secret')));
    const imagePullSecrets = [{ name: 'wrong' }, { name: 'right' }, { name: 'missing' }];
    await harness.apply(pod({ name: 'known', container, pod: { imagePullSecrets } }));
    await harness.ready('known');
    await harness.event('known', 'FailedToRetrieveImagePullSecret', '(missing)');
    const { message } = await harness.event(
      'known',
      'Pulled',
      `Successfully pulled image "${image}"`,
    );
    expect(message).toMatch(
      /^Successfully pulled image "[^"]+" in [\d.]+m?s \([\d.]+m?s including waiting\)\. Image size: [1-9]\d* bytes\.$/,
    );
    // It is present now, and still only for pods with the secret it was pulled with.
    const present = { image, imagePullPolicy: 'IfNotPresent' };
    await harness.apply(pod({ name: 'second', container: present, pod: { imagePullSecrets } }));
    await harness.ready('second');
    await harness.event(
      'second',
      'Pulled',
      'already present on machine and can be accessed by the pod',
    );
    await harness.apply(pod({ name: 'thief', container: present }));
    await harness.event('thief', 'Failed', `Failed to pull image "${image}"`);
    await harness.kubectl('delete pod stranger known second thief');
  } finally {
    await registry.stop();
  }
});

test('unused images are removed to free space, and those in use and of sandboxes stay', async () => {
  await harness.apply(pod({ name: 'user', script: LIVE }));
  await harness.ready('user');
  const runtime = await openCriRuntime({
    endpoint: harness.containerd.endpoint,
    clock,
    log: silentLog,
  });
  try {
    const notified: string[] = [];
    const collector = new ImageCollector({
      clock,
      log: silentLog,
      runtime,
      policy: { highThresholdPercent: 1, lowThresholdPercent: 0, ageMinMs: 0, ageMaxMs: 0 },
      events: { recordNode: (_type, reason) => notified.push(reason) },
    });
    await expect(collector.collect()).rejects.toThrow('Insufficient free disk space');
    expect(notified).toEqual(['FreeDiskSpaceFailed']);
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

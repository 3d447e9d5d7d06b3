/**
 * Tests of the same shape as Kubernetes' conformance tests of the node, on containerd 2.1: resizes in place,
 * and image volumes. Beyond them: resizes of init containers, and sub paths with fsGroup.
 */
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import { waitFor } from '../e2e/support/patience.ts';
import { conditionOf, isReady, LIVE, type PodView } from '../e2e/support/pod-view.ts';
import { harnessOf } from './support/cluster-harness.ts';
import { BUSYBOX, NAMED_USER } from './support/images/test-images.ts';
import { pod } from './support/workloads.ts';

interface Resources extends JsonObject {
  readonly requests?: Readonly<Record<string, string>>;
  readonly limits?: Readonly<Record<string, string>>;
}

type ByContainer = Readonly<Record<string, Resources>>;

interface ResizedStatus {
  readonly name: string;
  readonly restartCount: number;
  readonly resources?: Resources;
  readonly allocatedResources?: Readonly<Record<string, string>>;
}

interface ResizedPod extends PodView {
  readonly metadata: PodView['metadata'] & { readonly generation?: number };
  readonly status: PodView['status'] & {
    readonly observedGeneration?: number;
    readonly containerStatuses?: readonly ResizedStatus[];
    readonly initContainerStatuses?: readonly ResizedStatus[];
    readonly resources?: Resources;
  };
}

const harness = harnessOf('node-conformance', '2.1');

function guaranteed(cpu: string, memory: string): Resources {
  return { requests: { cpu, memory }, limits: { cpu, memory } };
}

async function read(name: string): Promise<ResizedPod> {
  return JSON.parse(await harness.kubectl(`get pod ${name} -o json`)) as ResizedPod;
}

async function applyWith(name: string, wanted: ByContainer): Promise<void> {
  const containers = Object.entries(wanted).map(([each, resources]) => ({
    name: each,
    image: BUSYBOX,
    command: ['sh', '-c', LIVE],
    resources,
  }));
  await harness.apply(pod({ name, pod: { containers, terminationGracePeriodSeconds: 0 } }));
  await harness.ready(name);
}

async function resize(name: string, wanted: ByContainer, list = 'containers'): Promise<ResizedPod> {
  const changed = Object.entries(wanted).map(([each, resources]) => ({ name: each, resources }));
  const patch = JSON.stringify({ spec: { [list]: changed } });
  await harness.kubectl(['patch', 'pod', name, '--subresource=resize', '-p', patch]);
  return actuated(name);
}

/** As the conformance tests wait: generation observed, no condition of a resize, and Ready. */
async function actuated(name: string, needsReady = true): Promise<ResizedPod> {
  let last: ResizedPod | undefined;
  const explain = (): string => JSON.stringify(last?.status);
  return waitFor({ what: `${name} to be resized`, deadlineMs: 60_000, explain }, async () => {
    last = await read(name);
    const isObserved = (last.status.observedGeneration ?? 0) >= (last.metadata.generation ?? 0);
    const isPending = ['PodResizePending', 'PodResizeInProgress'].some((type) =>
      conditionOf(last ?? ({} as PodView), type),
    );
    return isObserved && !isPending && (!needsReady || isReady(last)) ? last : undefined;
  });
}

function resourcesOf(statuses: readonly ResizedStatus[] | undefined): ByContainer {
  return Object.fromEntries((statuses ?? []).map(({ name, resources = {} }) => [name, resources]));
}

function expectResized(view: ResizedPod, wanted: ByContainer): void {
  const { containerStatuses = [] } = view.status;
  expect(resourcesOf(containerStatuses)).toEqual(wanted);
  for (const { name, restartCount, allocatedResources } of containerStatuses) {
    expect(restartCount).toBe(0);
    expect(allocatedResources).toEqual(wanted[name]?.requests);
  }
}

/** Starts a pod with some resources, resizes it to others, and returns those of its status. */
async function resized(name: string, from: ByContainer, to: ByContainer): Promise<ByContainer> {
  await applyWith(name, from);
  expectResized(await read(name), from);
  const view = await resize(name, to);
  expectResized(view, to);
  return resourcesOf(view.status.containerStatuses);
}

test('a guaranteed pod of three containers: net increase and back', async () => {
  const from = {
    c1: guaranteed('20m', '35Mi'),
    c2: guaranteed('21m', '36Mi'),
    c3: guaranteed('22m', '37Mi'),
  };
  const to = {
    c1: guaranteed('30m', '40Mi'),
    c2: guaranteed('31m', '41Mi'),
    c3: guaranteed('17m', '32Mi'),
  };
  expect(await resized('increase', from, to)).toEqual(to);
  const grown = await read('increase');
  expect(grown.status.resources).toEqual({
    requests: { cpu: '78m', memory: '113Mi' },
    limits: { cpu: '78m', memory: '113Mi' },
  });
  expectResized(await resize('increase', from), from);
});

test('a guaranteed pod of three containers: cpu and memory in different directions', async () => {
  const from = {
    c1: guaranteed('20m', '35Mi'),
    c2: guaranteed('21m', '36Mi'),
    c3: guaranteed('22m', '37Mi'),
  };
  const to = {
    c1: guaranteed('30m', '35Mi'),
    c2: guaranteed('16m', '41Mi'),
    c3: guaranteed('32m', '42Mi'),
  };
  expect(await resized('mixed', from, to)).toEqual(to);
});

test('a burstable pod: limits and requests are added', async () => {
  const from = {
    c1: { requests: { cpu: '20m' } },
    c2: { requests: { memory: '35Mi' } },
    c3: { requests: { cpu: '20m', memory: '35Mi' } },
    c4: { requests: { cpu: '20m' } },
    c5: { requests: { memory: '35Mi' } },
  };
  const to = {
    c1: { requests: { cpu: '30m' }, limits: { cpu: '40m' } },
    c2: { requests: { memory: '30Mi' }, limits: { memory: '50Mi' } },
    c3: { requests: { cpu: '20m', memory: '30Mi' } },
    c4: { requests: { cpu: '15m', memory: '35Mi' } },
    c5: { requests: { cpu: '20m', memory: '40Mi' } },
  };
  expect(await resized('burstable', from, to)).toEqual(to);
});

test('values below what the kernel can express are shown as asked', async () => {
  const from = { c1: { requests: { cpu: '2m' }, limits: { cpu: '10m' } } };
  const to = { c1: { requests: { cpu: '1m' }, limits: { cpu: '5m' } } };
  expect(await resized('equivalents', from, to)).toEqual(to);
});

test('a running init container is resized: the node declares the feature', async () => {
  const node = JSON.parse(await harness.kubectl('get node node-1 -o json')) as {
    readonly status: { readonly declaredFeatures?: readonly string[] };
  };
  expect(node.status.declaredFeatures).toContain('InPlacePodVerticalScalingInitContainers');
  const init = {
    name: 'prepares',
    image: BUSYBOX,
    command: ['sh', '-c', 'until [ -e /tmp/go ]; do sleep 0.1; done'],
    resources: guaranteed('20m', '35Mi'),
  };
  const container = { resources: guaranteed('20m', '35Mi') };
  await harness.apply(pod({ name: 'init', container, pod: { initContainers: [init] } }));
  await waitFor({ what: 'the init container to run', deadlineMs: 60_000 }, async () => {
    const [status] = (await read('init')).status.initContainerStatuses ?? [];
    return JSON.stringify(status).includes('"running"') ? true : undefined;
  });
  const resources = guaranteed('30m', '40Mi');
  const patch = JSON.stringify({ spec: { initContainers: [{ name: 'prepares', resources }] } });
  await harness.kubectl(['patch', 'pod', 'init', '--subresource=resize', '-p', patch]);
  const view = await actuated('init', false);
  expect(resourcesOf(view.status.initContainerStatuses)).toEqual({ prepares: resources });
  await harness.kubectl('exec init -c prepares -- touch /tmp/go');
  await harness.ready('init');
});

test('an image is mounted read-only as a volume', async () => {
  const volumes = [{ name: 'files', image: { reference: NAMED_USER, pullPolicy: 'IfNotPresent' } }];
  const volumeMounts = [{ name: 'files', mountPath: '/volume' }];
  await harness.apply(pod({ name: 'mounts', container: { volumeMounts }, pod: { volumes } }));
  await harness.ready('mounts');
  expect(await harness.kubectl('exec mounts -- cat /volume/etc/passwd')).not.toBe('');
  const write = ['exec', 'mounts', '--', 'sh', '-c', 'touch /volume/x 2>&1 || true'];
  expect(await harness.kubectl(write)).toContain('Read-only file system');
});

test('containerd 2.1 would ignore the subPath of an image, so the container is refused', async () => {
  const volumes = [{ name: 'files', image: { reference: NAMED_USER } }];
  const volumeMounts = [{ name: 'files', mountPath: '/part', subPath: 'etc' }];
  await harness.apply(pod({ name: 'part', container: { volumeMounts }, pod: { volumes } }));
  const status = await waitFor({ what: 'a reason', deadlineMs: 30_000 }, async () => {
    const text = JSON.stringify((await read('part')).status.containerStatuses ?? []);
    return text.includes('CreateContainerConfigError') ? text : undefined;
  });
  expect(status).toContain('cannot mount a subPath of image volume');
});

test('an image volume that cannot be pulled keeps its pod waiting, and Events say why', async () => {
  const reference = 'docker.io/library/absent:1';
  const volumes = [{ name: 'files', image: { reference, pullPolicy: 'Never' } }];
  const volumeMounts = [{ name: 'files', mountPath: '/volume' }];
  await harness.apply(pod({ name: 'lacks', container: { volumeMounts }, pod: { volumes } }));
  const status = await waitFor({ what: 'a reason', deadlineMs: 30_000 }, async () => {
    const text = JSON.stringify((await read('lacks')).status.containerStatuses ?? []);
    return text.includes('ErrImageNeverPull') ? text : undefined;
  });
  expect(status).toContain('is not present with pull policy of Never');
});

test('a sub path of a volume with fsGroup has its setgid bit', async () => {
  const volumes = [{ name: 'data', emptyDir: {} }];
  const volumeMounts = [{ name: 'data', mountPath: '/data', subPath: 'below' }];
  const securityContext = { fsGroup: 1234 };
  const name = 'grouped';
  await harness.apply(
    pod({ name, container: { volumeMounts }, pod: { volumes, securityContext } }),
  );
  await harness.ready(name);
  expect((await harness.kubectl(`exec ${name} -- stat -c %a:%g /data`)).trim()).toBe('2777:1234');
});

/** Pod security levels of namespaces through the API: what is refused, warned of and logged. */
import { expect, it } from 'vitest';
import { ApiServer } from '../../src/apiserver/http/api-server.ts';
import { builtInKinds } from '../../src/apiserver/kinds/built-in-kinds.ts';
import { openMemoryStore } from '../../src/apiserver/store/memory-store.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { seededRandom } from '../../src/platform/seeded-random.ts';
import { silentLog } from '../support/silent-ports.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const LABEL = 'pod-security.kubernetes.io';
const PRIVILEGED = {
  containers: [{ name: 'a', image: 'a', securityContext: { privileged: true } }],
};
const PLAIN = { containers: [{ name: 'a', image: 'a' }] };
const REASON = 'privileged (container "a" must not set securityContext.privileged=true)';

class Harness {
  readonly logged: string[] = [];
  readonly server: ApiServer;

  constructor() {
    const clock = new VirtualClock();
    const log = { ...silentLog, warn: (message: string) => void this.logged.push(message) };
    this.server = new ApiServer({
      store: openMemoryStore({ clock, log }),
      clock,
      random: seededRandom(1),
      log,
      kinds: builtInKinds,
      version: {},
    });
  }

  /** With a namespace `n` that has these labels, without their prefix. */
  static async open(labels: Readonly<Record<string, string>>): Promise<Harness> {
    const harness = new Harness();
    const own = Object.entries(labels).map(([name, value]) => [`${LABEL}/${name}`, value]);
    await harness.send('POST', '/api/v1/namespaces', {
      metadata: { name: 'n', labels: Object.fromEntries(own) as JsonObject },
    });
    const account = { metadata: { name: 'default' } };
    await harness.send('POST', '/api/v1/namespaces/n/serviceaccounts', account);
    return harness;
  }

  async send(method: string, path: string, body: JsonObject, type = 'application/json') {
    const request = new Request(`http://podkeep${path}`, {
      method,
      headers: { 'content-type': type },
      body: JSON.stringify(body),
    });
    const response = await this.server.fetch(request);
    const { message } = (await response.json()) as JsonObject;
    const warnings = response.headers.get('warning')?.split(/, (?=299 - )/) ?? [];
    return {
      code: response.status,
      message: message ?? '',
      warnings: warnings.map((one) => JSON.parse(one.slice('299 - '.length)) as string),
    };
  }

  createPod(spec: JsonObject, query = '') {
    return this.send('POST', `/api/v1/namespaces/n/pods${query}`, {
      metadata: { name: 'p' },
      spec,
    });
  }

  merge(path: string, body: JsonObject) {
    return this.send('PATCH', path, body, 'application/merge-patch+json');
  }
}

it.each(['', '?dryRun=All'])(
  'a pod that violates the enforced level is refused%s',
  async (query) => {
    const harness = await Harness.open({ enforce: 'baseline' });
    expect(await harness.createPod(PRIVILEGED, query)).toEqual({
      code: 403,
      message: `pods "p" is forbidden: violates PodSecurity "baseline:latest": ${REASON}`,
      warnings: [],
    });
    expect((await harness.createPod(PLAIN, query)).code).toBe(201);
  },
);

it('a version of the level is named, and counts', async () => {
  const harness = await Harness.open({ enforce: 'baseline', 'enforce-version': 'v1.33' });
  const probe = { httpGet: { port: 80, host: 'x' } };
  const spec = { containers: [{ name: 'a', image: 'a', livenessProbe: probe }] };
  expect((await harness.createPod(spec)).code).toBe(201);
  const labels = { [`${LABEL}/enforce-version`]: 'v1.34' };
  expect(await harness.merge('/api/v1/namespaces/n', { metadata: { labels } })).toMatchObject({
    warnings: [
      'existing pods in namespace "n" violate the new PodSecurity enforce level "baseline:v1.34"',
      'p: probe or lifecycle host',
    ],
  });
});

it('a pod that violates the warn level is created with a warning', async () => {
  const harness = await Harness.open({ warn: 'baseline' });
  expect(await harness.createPod(PRIVILEGED)).toMatchObject({
    code: 201,
    warnings: [`would violate PodSecurity "baseline:latest": ${REASON}`],
  });
});

it('a violation of the audit level is logged, whether the pod is refused or not', async () => {
  for (const enforce of ['privileged', 'baseline']) {
    const harness = await Harness.open({ enforce, audit: 'baseline', 'audit-version': 'v1.30' });
    await harness.createPod(PRIVILEGED);
    expect(harness.logged).toEqual([
      `Object would violate PodSecurity "baseline:v1.30": ${REASON}`,
    ]);
  }
});

it('a controller is warned about its template, and never refused', async () => {
  const harness = await Harness.open({ enforce: 'baseline' });
  const template = { metadata: { labels: { a: 'b' } }, spec: PRIVILEGED };
  const spec = { selector: { matchLabels: { a: 'b' } }, template };
  const path = '/apis/apps/v1/namespaces/n/replicasets';
  const warned = `would violate PodSecurity "baseline:latest": ${REASON}`;
  const created = await harness.send('POST', path, { metadata: { name: 'r' }, spec });
  expect(created.code).toBe(201);
  expect(created.warnings).toContain(warned);
  const patched = await harness.merge(`${path}/r`, { spec: { replicas: 2 } });
  expect(patched.code).toBe(200);
  expect(patched.warnings).toContain(warned);
  const scaled = await harness.merge(`${path}/r/scale`, { spec: { replicas: 3 } });
  expect([scaled.code, scaled.warnings]).toEqual([200, []]);
});

it('an existing pod may be updated, until an update brings a container or an image', async () => {
  const harness = await Harness.open({});
  await harness.createPod(PRIVILEGED);
  const labels = { [`${LABEL}/enforce`]: 'baseline' };
  expect(await harness.merge('/api/v1/namespaces/n', { metadata: { labels } })).toEqual({
    code: 200,
    message: '',
    warnings: [
      'existing pods in namespace "n" violate the new PodSecurity enforce level "baseline:latest"',
      'p: privileged',
    ],
  });
  const pod = '/api/v1/namespaces/n/pods/p';
  expect((await harness.merge(pod, { metadata: { labels: { a: 'b' } } })).code).toBe(200);
  expect((await harness.merge(`${pod}/status`, { status: { message: 'x' } })).code).toBe(200);
  const ephemeral = { spec: { ephemeralContainers: [{ name: 'd', image: 'd' }] } };
  const image = { spec: { containers: [{ name: 'a', image: 'b' }] } };
  const strategic = 'application/strategic-merge-patch+json';
  expect((await harness.send('PATCH', pod, image, strategic)).code).toBe(403);
  expect((await harness.merge(`${pod}/ephemeralcontainers`, ephemeral)).code).toBe(403);
});

it('invalid labels are refused, unless they were there before', async () => {
  const harness = await Harness.open({ enforce: 'baseline' });
  const relabel = (value: string) =>
    harness.merge('/api/v1/namespaces/n', {
      metadata: { labels: { [`${LABEL}/enforce`]: value } },
    });
  expect(await relabel('strict')).toMatchObject({
    code: 422,
    message:
      `Namespace "n" is invalid: metadata.labels[${LABEL}/enforce]: Invalid value: "strict": ` +
      'must be one of privileged, baseline, restricted',
  });
  expect(await relabel('privileged')).toMatchObject({ code: 200, warnings: [] });
});

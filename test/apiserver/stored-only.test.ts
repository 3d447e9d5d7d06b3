/** Writes of kinds that no controller acts on, through the API server as `podkeep up` has it. */
import { generateKeyPairSync } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import type { User } from '../../src/apiserver/objects/access.ts';
import { CONTROLLER_OF, leftOutSentence } from '../../src/apiserver/admission/controlled-kinds.ts';
import { CONTROLLER_NAMES } from '../../src/apiserver/controllers/controllers.ts';
import { STORED_ONLY_KINDS } from '../../src/apiserver/admission/stored-only-kinds.ts';
import { openEmbeddedServer, type EmbeddedServer } from '../../src/apiserver/embedded-server.ts';
import { openMemoryStore } from '../../src/apiserver/store/memory-store.ts';
import { formatTime } from '../../src/api/values/time.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { seededRandom } from '../../src/platform/seeded-random.ts';
import { SAMPLES } from '../support/kind-samples.ts';
import { pathOf, sampleWith } from '../support/rule-trials.ts';
import { silentLog as log } from '../support/silent-ports.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const ADMIN: User = { name: 'kubernetes-admin', groups: ['system:masters'] };
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';
const CLAIMS = 'v1/persistentvolumeclaims';

class Harness {
  readonly clock = new VirtualClock();
  #server: EmbeddedServer | undefined;

  static async open(controllers: ReadonlySet<string> = new Set()): Promise<Harness> {
    const harness = new Harness();
    const { clock } = harness;
    const server = await openEmbeddedServer({
      store: openMemoryStore({ clock, log }),
      clock,
      random: seededRandom(1),
      log,
      version: {},
      access: { signingKey: privateKey, mode: 'RBAC' },
      caCert: '',
      controllers,
    });
    harness.#server = server;
    onTestFinished(() => server.close());
    return harness;
  }

  /** The warnings of a write that succeeds. */
  async write(
    method: string,
    path: string,
    body: JsonObject,
    user = ADMIN,
  ): Promise<readonly string[]> {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const request = new Request(`http://podkeep${path}`, {
      method,
      headers: { 'content-type': type },
      body: JSON.stringify(body),
    });
    const response = await this.#server?.fetch(request, { user });
    if (!response?.ok) throw new Error(`${method} ${path}: ${await response?.text()}`);
    const warnings = response.headers.get('warning')?.split(/, (?=299 - )/) ?? [];
    return warnings.map((one) => JSON.parse(one.slice('299 - '.length)) as string);
  }

  async read(path: string): Promise<JsonObject> {
    const request = new Request(`http://podkeep${path}`);
    return (await this.#server?.fetch(request, { user: ADMIN }))?.json() as Promise<JsonObject>;
  }

  create(key: string, change?: JsonObject, user?: User): Promise<readonly string[]> {
    return this.write('POST', pathOf(key), sampleWith(key, change), user);
  }

  holdLease(name: string, fields: JsonObject = {}): Promise<readonly string[]> {
    const renewTime = formatTime(this.clock.now()).replace('Z', '.000000Z');
    const spec = { holderIdentity: 'somewhere', leaseDurationSeconds: 15, renewTime, ...fields };
    return this.write('POST', LEASES, { metadata: { name }, spec });
  }
}

/** On a server without controllers. */
function sentenceOf(resource: string): string {
  const controller = CONTROLLER_OF.get(resource);
  if (controller !== undefined) return leftOutSentence(resource, controller);
  const kind = STORED_ONLY_KINDS.find((one) => one.resource === resource);
  if (!kind) throw new Error(`${resource} is not listed`);
  return kind.sentence;
}

/** Keys of samples, such as `apps/v1/deployments`, as kubectl names resources. */
function resourceOf(key: string): string {
  const words = key.split('/');
  return words.length === 2 ? (words[1] ?? '') : `${words[2]}.${words[0]}`;
}

const unconditional = new Set(
  STORED_ONLY_KINDS.filter(({ holds }) => !holds).map(({ resource }) => resource),
);

it.each(Object.keys(SAMPLES).filter((key) => unconditional.has(resourceOf(key))))(
  'a write of %s is answered with a warning',
  async (key) => {
    const harness = await Harness.open();
    expect(await harness.create(key)).toContain(sentenceOf(resourceOf(key)));
  },
);

it.each(['v1/pods', 'v1/configmaps', 'v1/limitranges', 'v1/resourcequotas', 'v1/namespaces'])(
  'a write of %s is not',
  async (key) => {
    const harness = await Harness.open();
    if (key === 'v1/pods') {
      await harness.write('POST', '/api/v1/namespaces/default/serviceaccounts', {
        metadata: { name: 'default' },
      });
    }
    expect((await harness.create(key)).filter((one) => one.startsWith('podkeep'))).toEqual([]);
  },
);

it('each update and patch of the object is warned about, but not those of its subresources', async () => {
  const harness = await Harness.open();
  const warning = sentenceOf('persistentvolumeclaims');
  await harness.create(CLAIMS);
  const path = `${pathOf(CLAIMS)}/sample`;
  expect(await harness.write('PUT', path, await harness.read(path))).toEqual([warning]);
  const patch = { metadata: { labels: { a: 'b' } } };
  expect(await harness.write('PATCH', path, patch)).toEqual([warning]);
  expect(await harness.write('PATCH', `${path}/status`, { status: { phase: 'Lost' } })).toEqual([]);
});

it.each([
  ['system:kube-controller-manager', []],
  ['system:serviceaccount:kube-system:deployment-controller', []],
  ['system:serviceaccount:default:builder', [sentenceOf('persistentvolumeclaims')]],
])('of a write by %s: %j', async (name, expected) => {
  const harness = await Harness.open();
  const user = { name, groups: ['system:masters'] };
  expect(await harness.create(CLAIMS, {}, user)).toEqual(expected);
});

it('a controller manager that holds its lease acts on what it manages, and on nothing else', async () => {
  const harness = await Harness.open();
  await harness.holdLease('kube-controller-manager');
  expect(await harness.create(CLAIMS)).toEqual([]);
  expect(await harness.create('networking.k8s.io/v1/networkpolicies')).toEqual([
    sentenceOf('networkpolicies.networking.k8s.io'),
  ]);
  await harness.clock.pass(16_000);
  expect(await harness.create('storage.k8s.io/v1/volumeattachments')).toContain(
    sentenceOf('volumeattachments.storage.k8s.io'),
  );
});

it.each([...CONTROLLER_OF])('%s are warned about if %s was left out', async (name, controller) => {
  const key = Object.keys(SAMPLES).find((each) => resourceOf(each) === name) ?? '';
  const sentence = leftOutSentence(name, controller);
  expect(CONTROLLER_NAMES).toContain(controller);
  expect(await (await Harness.open()).create(key)).toContain(sentence);
  expect(await (await Harness.open(new Set([controller]))).create(key)).not.toContain(sentence);
  const managed = await Harness.open();
  await managed.holdLease('kube-controller-manager');
  expect(await managed.create(key)).not.toContain(sentence);
});

it('the lease that podkeep itself holds ends no warning', async () => {
  const harness = await Harness.open();
  await harness.holdLease('kube-controller-manager', { holderIdentity: 'podkeep_1' });
  expect(await harness.create(CLAIMS)).toEqual([sentenceOf('persistentvolumeclaims')]);
});

it.each([
  ['of another component', 'kube-scheduler', {}],
  ['that was given up', 'kube-controller-manager', { holderIdentity: '' }],
  ['without a time', 'kube-controller-manager', { renewTime: null }],
])('a lease %s does not count', async (_which, name, fields) => {
  const harness = await Harness.open();
  await harness.holdLease(name, fields);
  expect(await harness.create(CLAIMS)).toEqual([sentenceOf('persistentvolumeclaims')]);
});

it.each<readonly [string, JsonObject, JsonObject]>([
  ['v1/services', { spec: { type: 'ExternalName', externalName: 'a.b' } }, {}],
  [
    'storage.k8s.io/v1/storageclasses',
    { provisioner: 'podkeep.dev/local' },
    { provisioner: 'kubernetes.io/aws-ebs' },
  ],
  [
    'storage.k8s.io/v1/storageclasses',
    { provisioner: 'kubernetes.io/no-provisioner' },
    { provisioner: 'kubernetes.io/gce-pd' },
  ],
])('%s are warned about only where a feature is missing', async (key, done, undone) => {
  const own = async (change: JsonObject): Promise<readonly string[]> => {
    const warnings = await (await Harness.open()).create(key, change);
    return warnings.filter((one) => one.startsWith('podkeep'));
  };
  expect(await own(done)).toEqual([]);
  expect(await own(undone)).toEqual([sentenceOf(resourceOf(key))]);
});

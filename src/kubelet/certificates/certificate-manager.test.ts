import { expect, test } from 'vitest';
import { clientTemplate, servingTemplate } from '../../core/certificates/certificate-template.ts';
import { seededRandom } from '../../platform/seeded-random.ts';
import type { KubeApi } from '../../ports/api/kube-api.ts';
import { silentLog } from '../../../test/support/silent-ports.ts';
import { refusal, SigningHarness } from '../../../test/support/signing-harness.ts';
import { makeTempFolder } from '../../../test/support/temp-folder.ts';
import { filesSettled, VirtualClock } from '../../../test/support/virtual-clock.ts';
import { CertificateManager, type CertificateManagerOptions } from './certificate-manager.ts';
import type { CertificatePair } from './certificate-pair.ts';
import { CertificateStore } from './certificate-store.ts';

const CLIENT = 'kubernetes.io/kube-apiserver-client-kubelet';
const SERVING = 'kubernetes.io/kubelet-serving';
const HOUR_MS = 3_600_000;

function harness(options: Partial<CertificateManagerOptions> = {}) {
  const clock = new VirtualClock(undefined, filesSettled);
  const api = new SigningHarness(clock);
  api.isGenerous = true;
  const store = new CertificateStore({ clock, folder: makeTempFolder(), prefix: 'kubelet-client' });
  const rotations: { readonly pair: CertificatePair; readonly lifeSeconds: number | null }[] = [];
  const failures: number[] = [];
  const asked: (CertificatePair | null)[] = [];
  const manager = new CertificateManager({
    clock,
    random: seededRandom(5),
    log: silentLog,
    store,
    signer: CLIENT,
    template: () => clientTemplate('n1'),
    api: (current): KubeApi => {
      asked.push(current);
      return api;
    },
    initial: null,
    isForced: false,
    rotated: (pair, lifeSeconds) => rotations.push({ pair, lifeSeconds }),
    failed: () => failures.push(clock.monotonic()),
    asked: () => {},
    ...options,
  });
  return { clock, api, store, rotations, failures, asked, manager };
}

test('a node without a certificate requests one at once, and stores it', async () => {
  const { clock, manager, rotations, store, asked } = harness();
  expect(manager.current()).toBeNull();
  manager.start();
  await clock.pass(1);
  expect(manager.current()).toMatchObject(clientTemplate('n1'));
  expect(await store.current()).toEqual(manager.current());
  expect(rotations).toEqual([{ pair: manager.current(), lifeSeconds: null }]);
  expect(asked).toEqual([null]);
  await manager.stop();
  expect(clock.pending).toBe(0);
});

test('it is replaced between 70 and 90 % of its lifetime, again and again, by the node itself', async () => {
  const { clock, manager, rotations, asked } = harness();
  manager.start();
  await clock.pass(5 * HOUR_MS);
  expect(rotations.length).toBeGreaterThanOrEqual(6);
  for (const { lifeSeconds } of rotations.slice(1)) {
    expect(lifeSeconds).toBeGreaterThanOrEqual(0.7 * 3600);
    expect(lifeSeconds).toBeLessThanOrEqual(0.9 * 3600 + 60);
  }
  expect(asked.slice(1)).not.toContain(null);
  expect(new Set(rotations.map(({ pair }) => pair.key)).size).toBe(rotations.length);
  await manager.stop();
});

test('a failure is retried after 2, 4, 8, 16, 32, 32 … s, and the old one stays in use', async () => {
  const { clock, api, manager, failures } = harness();
  api.fault = () => refusal(503, 'ServiceUnavailable');
  manager.start();
  await clock.pass(130_000);
  const waits = failures.slice(1).map((atMs, index) => atMs - (failures[index] ?? 0));
  expect(waits.map((ms) => Math.floor(ms / 1000))).toEqual([2, 4, 8, 16, 32, 32, 32]);
  api.fault = () => undefined;
  await clock.pass(32_000);
  expect(manager.current()).not.toBeNull();
  await manager.stop();
});

test('an expired one is not returned any more, and other credentials request the next', async () => {
  const { clock, api, manager, asked } = harness();
  manager.start();
  await clock.pass(1);
  const first = manager.current();
  api.fault = () => refusal(503, 'ServiceUnavailable');
  await clock.pass(HOUR_MS - 1);
  expect(manager.current()).toBe(first);
  expect(asked.at(-1)).toBe(first);
  await clock.pass(40_000);
  expect(manager.current()).toBeNull();
  expect(asked.at(-1)).toBeNull();
  api.fault = () => undefined;
  await clock.pass(32_000);
  expect(manager.current()).not.toBeNull();
  await manager.stop();
});

test('a certificate that must be replaced is replaced at once, and returned until then', async () => {
  const other = harness();
  other.manager.start();
  await other.clock.pass(1);
  await other.manager.stop();
  const initial = other.manager.current();
  const { clock, api, manager, rotations } = harness({ initial, isForced: true });
  api.isGenerous = false;
  manager.start();
  await clock.pass(1000);
  expect(manager.current()).toBe(initial);
  const [request] = api.requests;
  if (request) api.approve(request);
  await clock.pass(1000);
  expect(rotations).toHaveLength(1);
  expect(manager.current()).not.toBe(initial);
  await manager.stop();
});

test('a serving certificate waits for addresses, and follows them', async () => {
  let addresses: readonly string[] = [];
  const template = () =>
    servingTemplate(
      'n1',
      addresses.map((address) => ({ type: 'InternalIP', address })),
    );
  const { clock, api, manager, failures } = harness({ signer: SERVING, template });
  manager.start();
  await clock.pass(60_000);
  expect(api.requests).toEqual([]);
  addresses = ['10.0.0.1'];
  await clock.pass(1000);
  expect(manager.current()?.addresses).toEqual(['10.0.0.1']);
  addresses = ['10.0.0.1', '10.0.0.2'];
  await clock.pass(1000);
  expect(manager.current()?.addresses).toEqual(['10.0.0.1', '10.0.0.2']);
  addresses = ['10.0.0.2'];
  await clock.pass(60_000);
  expect(api.requests).toHaveLength(2);
  expect(failures).toEqual([]);
  await manager.stop();
});

test('a pending request is abandoned if the wanted certificate changes meanwhile', async () => {
  let address = '10.0.0.1';
  const template = () => servingTemplate('n1', [{ type: 'InternalIP', address }]);
  const { clock, api, manager, failures } = harness({ signer: SERVING, template });
  api.isGenerous = false;
  manager.start();
  await clock.pass(5000);
  address = '10.0.0.2';
  await clock.pass(5000);
  expect(api.requests).toHaveLength(2);
  const [, second] = api.requests;
  if (second) api.approve(second);
  await clock.pass(1);
  expect(manager.current()?.addresses).toEqual(['10.0.0.2']);
  expect(failures).toEqual([]);
  await manager.stop();
  expect(clock.pending).toBe(0);
});

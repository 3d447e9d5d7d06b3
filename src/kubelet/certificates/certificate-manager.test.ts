import { expect, test } from 'vitest';
import { clientTemplate, servingTemplate } from '../../core/certificates/certificate-template.ts';
import { seededRandom } from '../../platform/seeded-random.ts';
import type { KubeApi } from '../../ports/kube-api.ts';
import { silentLog } from '../../../test/support/silent-ports.ts';
import { refusal, SigningDesk } from '../../../test/support/signing-desk.ts';
import { makeTempFolder } from '../../../test/support/temp-folder.ts';
import { filesSettled, VirtualClock } from '../../../test/support/virtual-clock.ts';
import { CertificateManager, type CertificateManagerOptions } from './certificate-manager.ts';
import type { CertificatePair } from './certificate-pair.ts';
import { CertificateStore } from './certificate-store.ts';

const CLIENT = 'kubernetes.io/kube-apiserver-client-kubelet';
const SERVING = 'kubernetes.io/kubelet-serving';
const HOUR_MS = 3_600_000;

function stage(options: Partial<CertificateManagerOptions> = {}) {
  const clock = new VirtualClock(undefined, filesSettled);
  const desk = new SigningDesk(clock);
  desk.isGenerous = true;
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
      return desk;
    },
    initial: null,
    isForced: false,
    rotated: (pair, lifeSeconds) => rotations.push({ pair, lifeSeconds }),
    failed: () => failures.push(clock.monotonic()),
    asked: () => {},
    ...options,
  });
  return { clock, desk, store, rotations, failures, asked, manager };
}

test('a node without a certificate asks for one at once, and keeps it', async () => {
  const { clock, manager, rotations, store, asked } = stage();
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

test('it is replaced between 70 and 90 % of its life, again and again, by the node itself', async () => {
  const { clock, manager, rotations, asked } = stage();
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

test('a failure is tried again after 2, 4, 8, 16, 32, 32 … s, and the old one stays in use', async () => {
  const { clock, desk, manager, failures } = stage();
  desk.fault = () => refusal(503, 'ServiceUnavailable');
  manager.start();
  await clock.pass(130_000);
  const waits = failures.slice(1).map((atMs, index) => atMs - (failures[index] ?? 0));
  expect(waits.map((ms) => Math.floor(ms / 1000))).toEqual([2, 4, 8, 16, 32, 32, 32]);
  desk.fault = () => undefined;
  await clock.pass(32_000);
  expect(manager.current()).not.toBeNull();
  await manager.stop();
});

test('one that is over is not shown any more, and others have to ask for the next', async () => {
  const { clock, desk, manager, asked } = stage();
  manager.start();
  await clock.pass(1);
  const first = manager.current();
  desk.fault = () => refusal(503, 'ServiceUnavailable');
  await clock.pass(HOUR_MS - 1);
  expect(manager.current()).toBe(first);
  expect(asked.at(-1)).toBe(first);
  await clock.pass(40_000);
  expect(manager.current()).toBeNull();
  expect(asked.at(-1)).toBeNull();
  desk.fault = () => undefined;
  await clock.pass(32_000);
  expect(manager.current()).not.toBeNull();
  await manager.stop();
});

test('a certificate that is not to be kept is replaced at once, and shown until then', async () => {
  const other = stage();
  other.manager.start();
  await other.clock.pass(1);
  await other.manager.stop();
  const initial = other.manager.current();
  const { clock, desk, manager, rotations } = stage({ initial, isForced: true });
  desk.isGenerous = false;
  manager.start();
  await clock.pass(1000);
  expect(manager.current()).toBe(initial);
  const [request] = desk.requests;
  if (request) desk.approve(request);
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
  const { clock, desk, manager, failures } = stage({ signer: SERVING, template });
  manager.start();
  await clock.pass(60_000);
  expect(desk.requests).toEqual([]);
  addresses = ['10.0.0.1'];
  await clock.pass(1000);
  expect(manager.current()?.addresses).toEqual(['10.0.0.1']);
  addresses = ['10.0.0.1', '10.0.0.2'];
  await clock.pass(1000);
  expect(manager.current()?.addresses).toEqual(['10.0.0.1', '10.0.0.2']);
  addresses = ['10.0.0.2'];
  await clock.pass(60_000);
  expect(desk.requests).toHaveLength(2);
  expect(failures).toEqual([]);
  await manager.stop();
});

test('a request that nobody has answered is left alone if something else is wanted meanwhile', async () => {
  let address = '10.0.0.1';
  const template = () => servingTemplate('n1', [{ type: 'InternalIP', address }]);
  const { clock, desk, manager, failures } = stage({ signer: SERVING, template });
  desk.isGenerous = false;
  manager.start();
  await clock.pass(5000);
  address = '10.0.0.2';
  await clock.pass(5000);
  expect(desk.requests).toHaveLength(2);
  const [, second] = desk.requests;
  if (second) desk.approve(second);
  await clock.pass(1);
  expect(manager.current()?.addresses).toEqual(['10.0.0.2']);
  expect(failures).toEqual([]);
  await manager.stop();
  expect(clock.pending).toBe(0);
});

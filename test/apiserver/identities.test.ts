/**
 * Identifiers are made from unpredictable bytes only. The source here refuses the weaker random numbers,
 * which are good enough for delays only.
 */
import { X509Certificate } from 'node:crypto';
import { expect, it } from 'vitest';
import {
  generateName,
  makeUid,
  metadataForCreate,
  textOf,
} from '../../src/apiserver/objects/metadata.ts';
import { createPki } from '../../src/apiserver/pki/pki.ts';
import { EventNames } from '../../src/kubelet/events/event-names.ts';
import { seededRandom } from '../../src/platform/seeded-random.ts';
import { systemClock as clock } from '../../src/platform/system-clock.ts';
import { systemRandom } from '../../src/platform/system-random.ts';
import type { IdentityRandom } from '../../src/ports/random.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { AccessHarness, ACCOUNTS, ADMIN_TOKEN } from './access-harness.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

function unpredictable(seed = 1): IdentityRandom {
  const seeded = seededRandom(seed);
  return {
    bytes: (length) => seeded.bytes(length),
    next: () => expect.unreachable('an identity was drawn from predictable chance'),
  };
}

it('UIDs, generated names and names of events are drawn from bytes', () => {
  const random = unpredictable();
  expect(makeUid(random)).toMatch(UUID);
  expect(generateName('pod-', random)).toMatch(/^pod-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  const made = metadataForCreate({ metadata: { generateName: 'a-' } }, '', random);
  expect(made).toMatchObject({ metadata: { uid: expect.stringMatching(UUID) } });
  expect(new EventNames(new VirtualClock(), random).next('x'.repeat(253))).toMatch(UUID);
});

it('serial numbers of certificates are drawn from bytes, and all differ', async () => {
  const pki = await createPki({ clock, random: unpredictable() });
  const { caCert, serverCert, adminCert, kubeletClientCert } = pki;
  const pems = [caCert, serverCert, adminCert, kubeletClientCert];
  const serials = pems.map((pem) => new X509Certificate(pem).serialNumber);
  expect(new Set(serials).size).toBe(4);
});

it('ids of tokens are UIDs of the same source', async () => {
  const harness = await AccessHarness.open();
  const issue = async (): Promise<unknown> => {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
    const { body } = await harness.send('POST', `${ACCOUNTS}/default/token`, { spec: {} }, headers);
    const [, claims = ''] = textOf(body.status['token']).split('.');
    return (JSON.parse(Buffer.from(claims, 'base64url').toString()) as { jti: unknown }).jti;
  };
  const ids = [await issue(), await issue()];
  expect(ids).toEqual([expect.stringMatching(UUID), expect.stringMatching(UUID)]);
  expect(ids[0]).not.toBe(ids[1]);
});

it('the same seed makes the same identities', () => {
  const draw = (): readonly string[] => {
    const random = unpredictable(7);
    return [makeUid(random), generateName('a-', random), makeUid(random)];
  };
  expect(draw()).toEqual(draw());
});

it('every letter of a generated name is equally likely', () => {
  const random = unpredictable(3);
  const counts = new Map<string, number>();
  for (let drawn = 0; drawn < 5400; drawn += 1) {
    for (const letter of generateName('', random)) {
      counts.set(letter, (counts.get(letter) ?? 0) + 1);
    }
  }
  expect(counts.size).toBe(27);
  for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(150);
});

it('the system draws its bytes from the source for keys', () => {
  const drawn = Array.from({ length: 1000 }, () =>
    Buffer.from(systemRandom.bytes(16)).toString('hex'),
  );
  expect(new Set(drawn).size).toBe(1000);
});

import { expect, test } from 'vitest';
import type { JsonObject } from '../../../lib/json.ts';
import { VirtualClock } from '../../../../test/support/virtual-clock.ts';
import { seededRandom } from '../../../platform/seeded-random.ts';
import { createAuthority } from '../../pki/pki.ts';
import { readCertificate } from '../../../lib/x509/read-certificate.ts';
import { readPem } from '../../../lib/x509/pem.ts';
import { cleanupTimeMs } from './cleanup-time.ts';

const CREATED = '2030-01-01T00:00:00Z';
const UPDATED = '2030-01-01T05:00:00Z';
const LATE = '2999-01-01T00:00:00Z';
const NEVER = Number.POSITIVE_INFINITY;
const hours = (count: number): number => Date.parse(CREATED) + count * 3_600_000;

const { cert } = await createAuthority({ clock: new VirtualClock(), random: seededRandom(1) });
const certificate = Buffer.from(cert).toString('base64');
const expiryMs = readCertificate(readPem('CERTIFICATE', cert)).notAfterMs;
const condition = (type: string, lastUpdateTime: string | null = UPDATED): JsonObject => ({
  type,
  status: 'True',
  ...(lastUpdateTime !== null && { lastUpdateTime }),
});

test.each<[string, JsonObject, number]>([
  ['pending', {}, hours(24)],
  ['approved and not signed', { conditions: [condition('Approved')] }, hours(29)],
  ['signed', { conditions: [condition('Approved')], certificate }, hours(6)],
  ['signed and expired', { conditions: [condition('Approved', LATE)], certificate }, expiryMs],
  [
    'signed with an unreadable certificate',
    { conditions: [condition('Approved')], certificate: 'eA==' },
    hours(6),
  ],
  ['denied', { conditions: [condition('Denied')] }, hours(6)],
  ['approved and failed', { conditions: [condition('Approved'), condition('Failed')] }, hours(6)],
  ['denied without a time', { conditions: [condition('Denied', null)] }, NEVER],
  ['in a state of its own', { conditions: [condition('Odd')] }, NEVER],
])('a request that is %s is removed in time', (_, status, expected) => {
  expect(cleanupTimeMs({ metadata: { creationTimestamp: CREATED }, status })).toBe(expected);
});

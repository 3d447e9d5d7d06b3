import { expect, test } from 'vitest';
import type { JsonObject } from '../../../lib/json.ts';
import { belongsTo, decideTokenSecret, fill } from './token-secret.ts';

const account = { metadata: { name: 'bot', uid: 'u1' } };
const base64 = (text: string): string => Buffer.from(text).toString('base64');

function secretOf(annotations: JsonObject, data: JsonObject = {}): JsonObject {
  return { metadata: { name: 's', namespace: 'shop', annotations }, data };
}
const name = { 'kubernetes.io/service-account.name': 'bot' };
const uid = { 'kubernetes.io/service-account.uid': 'u1' };
const whole = { token: base64('t'), namespace: base64('shop'), 'ca.crt': base64('CA') };

test('a secret belongs to an account by name, and by uid if it names one', () => {
  expect(belongsTo(secretOf(name), account)).toBe(true);
  expect(belongsTo(secretOf({ ...name, ...uid }), account)).toBe(true);
  const other = { ...name, 'kubernetes.io/service-account.uid': 'u0' };
  expect(belongsTo(secretOf(other), account)).toBe(false);
  expect(belongsTo(secretOf({}), account)).toBe(false);
});

test('a secret without its account is deleted, an incomplete one is filled, a complete one stays', () => {
  expect(decideTokenSecret(secretOf(name), undefined, 'CA')).toBe('remove');
  expect(decideTokenSecret(secretOf(name, whole), account, 'CA')).toBe('keep');
  expect(decideTokenSecret(secretOf(name, whole), account, 'another')).toBe('fill');
  for (const missing of Object.keys(whole)) {
    const data = { ...whole, [missing]: '' };
    expect(decideTokenSecret(secretOf(name, data), account, 'CA')).toBe('fill');
  }
  expect(decideTokenSecret(secretOf(name, { ...whole, 'ca.crt': '' }), account, '')).toBe('keep');
});

test('filling a secret keeps what it has, except for the certificate', () => {
  const data = { token: base64('own'), namespace: base64('odd'), 'ca.crt': base64('old'), x: 'y' };
  const filled = fill(secretOf(name, data), account, 'new', 'CA');
  expect(filled).toMatchObject({
    metadata: { annotations: { ...name, ...uid } },
    data: { ...data, 'ca.crt': base64('CA') },
  });
  expect(fill(secretOf(name), account, 'new', '')['data']).toEqual({
    token: base64('new'),
    namespace: base64('shop'),
  });
});

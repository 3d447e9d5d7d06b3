import { expect, test } from 'vitest';
import { mayUseImage, recordPull } from './image-access.ts';

const OURS = { uid: '1', namespace: 'n', name: 'ours', credentialHash: 'aa' };
const THEIRS = { uid: '2', namespace: 'm', name: 'theirs', credentialHash: 'bb' };
const PULL = { imageRef: 'sha256:1', repository: 'a.example/app', proof: OURS };
const TIME = '2026-01-02T03:04:05Z';
const QUESTION = {
  policy: 'NeverVerifyPreloadedImages' as const,
  record: null,
  isPulling: false,
  repository: 'a.example/app',
  secrets: [],
};

test('an image that podkeep did not pull is for every pod, unless every pod must prove access', () => {
  expect(mayUseImage(QUESTION)).toBe(true);
  expect(mayUseImage({ ...QUESTION, isPulling: true })).toBe(false);
  expect(mayUseImage({ ...QUESTION, policy: 'AlwaysVerify' })).toBe(false);
  expect(mayUseImage({ ...QUESTION, policy: 'NeverVerify', isPulling: true })).toBe(true);
});

test('an image pulled with a secret is for pods with that secret or the same credentials', () => {
  const record = recordPull(null, PULL, TIME);
  const may = (secrets: readonly (typeof OURS)[]) => mayUseImage({ ...QUESTION, record, secrets });
  expect(may([])).toBe(false);
  expect(may([THEIRS])).toBe(false);
  expect(may([THEIRS, OURS])).toBe(true);
  expect(may([{ ...THEIRS, credentialHash: 'aa' }])).toBe(true);
  expect(may([{ ...OURS, credentialHash: 'renewed' }])).toBe(true);
  const secrets = [OURS];
  expect(mayUseImage({ ...QUESTION, record, secrets, repository: 'b.example/app' })).toBe(false);
});

test('an image pulled without a secret is for every pod from then on', () => {
  const first = recordPull(null, PULL, TIME);
  const second = recordPull(first, { ...PULL, proof: null }, TIME);
  expect(mayUseImage({ ...QUESTION, record: second })).toBe(true);
  expect(recordPull(second, PULL, TIME)).toBe(second);
});

test('a second secret is added to the first, and a renewed one replaces its own entry', () => {
  const first = recordPull(null, PULL, TIME);
  expect(recordPull(first, PULL, TIME)).toBe(first);
  const both = recordPull(first, { ...PULL, proof: THEIRS }, TIME);
  expect(both.credentialMapping['a.example/app']?.kubernetesSecrets).toEqual([OURS, THEIRS]);
  const renewed = { ...OURS, credentialHash: 'cc' };
  const third = recordPull(both, { ...PULL, proof: renewed }, TIME);
  expect(third.credentialMapping['a.example/app']?.kubernetesSecrets).toEqual([THEIRS, renewed]);
});

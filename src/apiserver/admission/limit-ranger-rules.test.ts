import { expect, test } from 'vitest';
import type { JsonObject } from '../../lib/json.ts';
import { readAmounts } from '../../api/validation/quantities.ts';
import { checkClaim, checkDemand } from './limit-ranger-rules.ts';

function check(item: JsonObject, requests: JsonObject, limits: JsonObject): readonly string[] {
  const demand = { requests: readAmounts(requests), limits: readAmounts(limits) };
  return [...checkDemand(item, 'Container', demand)];
}

test('a value equal to the bound is allowed', () => {
  const item = { min: { cpu: '1' }, max: { cpu: '1' }, maxLimitRequestRatio: { cpu: '1' } };
  expect(check(item, { cpu: '1' }, { cpu: '1000m' })).toEqual([]);
});

test('a limit below the minimum is reported, even if the request is not below it', () => {
  expect(check({ min: { cpu: '1' } }, { cpu: '2' }, { cpu: '500m' })).toEqual([
    'minimum cpu usage per Container is 1, but limit is 500m',
  ]);
});

test('a request above the maximum is reported, even if the limit is not above it', () => {
  expect(check({ max: { cpu: '1' } }, { cpu: '2' }, { cpu: '1' })).toEqual([
    'maximum cpu usage per Container is 1, but request is 2',
  ]);
});

test('each resource is reported once for each rule', () => {
  const item = { min: { cpu: '1', memory: '1Gi' }, max: { cpu: '2' } };
  expect(check(item, {}, {})).toEqual([
    'minimum cpu usage per Container is 1.  No request is specified',
    'minimum memory usage per Container is 1Gi.  No request is specified',
    'maximum cpu usage per Container is 2.  No limit is specified',
  ]);
});

test('the ratio is that of limit to request', () => {
  const item = { maxLimitRequestRatio: { memory: '1500m' } };
  expect(check(item, { memory: '2Gi' }, { memory: '3Gi' })).toEqual([]);
  expect(check(item, { memory: '1Gi' }, { memory: '2Gi' })).toEqual([
    'memory max limit to request ratio per Container is 1500m, but provided ratio is 2.000000',
  ]);
  expect(check(item, {}, { memory: '2Gi' })).toEqual([
    'memory max limit to request ratio per Container is 1500m, but no request is specified or request is 0',
  ]);
});

test('a claim is checked by its request alone', () => {
  const item = { min: { storage: '1Gi' }, max: { storage: '2Gi' } };
  const claim = (requests: JsonObject): readonly string[] => [
    ...checkClaim(item, 'PersistentVolumeClaim', readAmounts(requests)),
  ];
  expect(claim({ storage: '1Gi' })).toEqual([]);
  expect(claim({})).toEqual([
    'minimum storage usage per PersistentVolumeClaim is 1Gi.  No request is specified',
    'maximum storage usage per PersistentVolumeClaim is 2Gi.  No request is specified',
  ]);
});

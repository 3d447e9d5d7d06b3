import { describe, expect, test } from 'vitest';
import { nodeSettings, READING } from '../../../test/support/node-parts.ts';
import { applyStrategicMergePatch } from '../../api/patch/strategic-merge-patch.ts';
import { structOf } from '../../api/schema/schema.ts';
import type { JsonObject } from '../../lib/json.ts';
import { nodeStatus } from './node-status.ts';
import {
  hasStatusChanged,
  isReportDue,
  NEVER_REPORTED,
  nodePatch,
  reported,
} from './status-report.ts';

const settings = nodeSettings();
const at = (now: string, reading = READING): JsonObject =>
  nodeStatus({}, reading, settings, now).status;
const first = at('2030-01-02T03:04:05Z');
const next = (reading = READING): JsonObject =>
  nodeStatus(first, reading, settings, '2030-01-02T03:04:15Z').status;
const nodeWith = (status: JsonObject): JsonObject => ({
  metadata: { name: 'n' },
  spec: { unschedulable: true },
  status,
});

describe('a change', () => {
  test('the time of a heartbeat is none', () => {
    expect(next()).not.toEqual(first);
    expect(hasStatusChanged(first, next())).toBe(false);
  });

  test('the same amount in another spelling is none', () => {
    const { capacity } = first;
    const lastReported = { ...first, capacity: { ...(capacity as JsonObject), cpu: '2000m' } };
    expect(hasStatusChanged(first, lastReported)).toBe(false);
    expect(nodePatch(nodeWith(first), nodeWith(lastReported))).toEqual({});
  });

  test('another message, address or amount is one', () => {
    expect(hasStatusChanged(first, next({ ...READING, reasons: ['x'] }))).toBe(true);
    expect(hasStatusChanged(first, next({ ...READING, ips: ['192.0.2.9'] }))).toBe(true);
    expect(hasStatusChanged(first, next({ ...READING, storageBytes: 1 }))).toBe(true);
  });

  test('an added or removed condition is one', () => {
    expect(hasStatusChanged({ ...first, conditions: [] }, first)).toBe(true);
  });
});

describe('the patch', () => {
  function applied(before: JsonObject, after: JsonObject): JsonObject {
    const patch = nodePatch(nodeWith(before), nodeWith(after));
    const type = structOf('core/v1.Node');
    const result = applyStrategicMergePatch(nodeWith(before), patch, type);
    return result['status'] as JsonObject;
  }

  test('has nothing of what stays, and nothing of the spec', () => {
    const patch = nodePatch(nodeWith(first), { ...nodeWith(next()), spec: {} });
    expect(Object.keys(patch)).toEqual(['status']);
    expect(Object.keys(patch['status'] as JsonObject).toSorted()).toEqual([
      '$setElementOrder/conditions',
      'conditions',
    ]);
  });

  test('two addresses of one type arrive as they are', () => {
    const two = next({ ...READING, ips: ['192.0.2.2', '2001:db8::2'] });
    expect(applied(first, two)['addresses']).toEqual(two['addresses']);
    expect(applied(two, first)['addresses']).toEqual(first['addresses']);
  });

  test('brings a Node without a status to one', () => {
    expect(applied({}, first)).toEqual(first);
  });

  test('images that are gone are removed', () => {
    const images = [{ ref: 'a', names: ['a'], sizeBytes: 1 }];
    expect(applied(next({ ...READING, images }), next())).not.toHaveProperty('images');
  });
});

describe('a report (KL-105)', () => {
  const PERIOD = 300_000;

  test('is due at the start, then with jitter, then on time', () => {
    expect(isReportDue(NEVER_REPORTED, PERIOD, 0)).toBe(true);
    const early = reported(NEVER_REPORTED, false, PERIOD, 0, 0);
    expect([149_999, 150_000].map((ms) => isReportDue(early, PERIOD, ms))).toEqual([false, true]);
    const steady = reported(early, false, PERIOD, 150_000, 0.9);
    expect(steady).toEqual({ writtenMs: 150_000, delayMs: 0 });
    const changed = reported(steady, true, PERIOD, 200_000, 0.75);
    expect(changed).toEqual({ writtenMs: 200_000, delayMs: 75_000 });
  });
});

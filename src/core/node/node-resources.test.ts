import { expect, test } from 'vitest';
import { MACHINE, nodeSettings } from '../../../test/support/node-parts.ts';
import { allocatableOf, capacityOf } from './node-resources.ts';

const size = { machine: MACHINE, storageBytes: 101_430_960 * 1024 };

test('eviction thresholds and reservations are not allocatable', () => {
  const settings = nodeSettings({
    systemReserved: { cpu: '100m', memory: '1Gi', pods: '5' },
    kubeReserved: { cpu: '200m', 'ephemeral-storage': '1Gi' },
  });
  const capacity = capacityOf(size, settings);
  expect(capacity).toMatchObject({ 'ephemeral-storage': '101430960Ki', memory: '24684100Ki' });
  expect(allocatableOf(capacity, settings)).toMatchObject({
    cpu: '1700m',
    memory: `${24_684_100 - 1024 * 1024 - 100 * 1024}Ki`,
    pods: '110',
  });
});

test('a percentage of the disk is subtracted as Go computes it, to the byte', () => {
  const settings = nodeSettings();
  const allocatable = allocatableOf(capacityOf(size, settings), settings);
  // 101430960 KiB less 10 % in float32: the number that many real nodes of that size show.
  expect(allocatable['ephemeral-storage']).toBe('93478772582');
});

test('huge pages do not count as memory', () => {
  const hugePages = [{ pageBytes: 2 * 1024 ** 2, count: 512 }];
  const settings = nodeSettings({ evictionHard: {} });
  const capacity = capacityOf({ ...size, machine: { ...MACHINE, hugePages } }, settings);
  expect(capacity['hugepages-2Mi']).toBe('1Gi');
  expect(allocatableOf(capacity, settings)).toMatchObject({
    memory: `${24_684_100 - 1024 * 1024}Ki`,
    'hugepages-2Mi': '1Gi',
  });
});

test('no amount is negative', () => {
  const settings = nodeSettings({ systemReserved: { cpu: '3', memory: '1Ti' } });
  expect(allocatableOf(capacityOf(size, settings), settings)).toMatchObject({
    cpu: '0',
    memory: '0',
  });
});

test('pods per processor can be fewer than the most, and never more', () => {
  expect(capacityOf(size, nodeSettings({ podsPerCore: 10 }))['pods']).toBe('20');
  expect(capacityOf(size, nodeSettings({ podsPerCore: 100 }))['pods']).toBe('110');
});

import { expect, test } from 'vitest';
import type { Pod } from '../../api/pod.ts';
import { orderResizes } from './resize-order.ts';

function waiting(name: string, cpu: string, more: object = {}, since: string | null = null) {
  const podWith = (amount: string): Pod => {
    const resources = { requests: { cpu: amount } };
    const spec = { containers: [{ name: 'c', resources }], ...more };
    return { metadata: { name }, spec };
  };
  return { pod: podWith(cpu), allocated: podWith('1'), waitingSince: since };
}

test('decreases first, then by priority, then by waiting time; the rest in order of arrival', () => {
  const guaranteed = { requests: { cpu: '3', memory: '1' }, limits: { cpu: '3', memory: '1' } };
  const order = orderResizes([
    waiting('new', '2'),
    waiting('late', '2', {}, '2030-01-02T00:00:00Z'),
    waiting('early', '2', {}, '2030-01-01T00:00:00Z'),
    waiting('promised', '2', { containers: [{ name: 'c', resources: guaranteed }] }),
    waiting('important', '2', { priority: 7 }),
    waiting('less', '500m'),
    waiting('newest', '2'),
  ]);
  // `promised` has the same resources on both sides here: it asks for no more.
  expect(order.map(({ pod }) => pod.metadata.name)).toEqual([
    'promised',
    'less',
    'important',
    'early',
    'late',
    'new',
    'newest',
  ]);
});

import { expect, test } from 'vitest';
import { withOldLabels } from './node-labels.ts';

const node = (labels: Readonly<Record<string, string>>) => ({ metadata: { name: 'n', labels } });

test('a node has its operating system and architecture under the old label names too', () => {
  expect(
    withOldLabels(node({ 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'arm64' })),
  ).toEqual(
    node({
      'kubernetes.io/os': 'linux',
      'kubernetes.io/arch': 'arm64',
      'beta.kubernetes.io/os': 'linux',
      'beta.kubernetes.io/arch': 'arm64',
    }),
  );
});

test('an old label with another value is corrected', () => {
  const labels = { 'kubernetes.io/os': 'linux', 'beta.kubernetes.io/os': 'windows' };
  expect(withOldLabels(node(labels))).toEqual(
    node({ ...labels, 'beta.kubernetes.io/os': 'linux' }),
  );
});

test.each([
  ['with both', node({ 'kubernetes.io/os': 'linux', 'beta.kubernetes.io/os': 'linux' })],
  ['with the old one only', node({ 'beta.kubernetes.io/os': 'linux' })],
  ['without labels', { metadata: { name: 'n' } }],
])('a node %s stays as it is', (_, given) => {
  expect(withOldLabels(given)).toBe(given);
});

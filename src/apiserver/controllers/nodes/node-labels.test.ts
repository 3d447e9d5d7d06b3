import { expect, test } from 'vitest';
import { withOldLabels } from './node-labels.ts';

const node = (labels: Readonly<Record<string, string>>) => ({ metadata: { name: 'n', labels } });

test('a node says its system and its processor under their old names too', () => {
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

test('an old label that says something else is corrected', () => {
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

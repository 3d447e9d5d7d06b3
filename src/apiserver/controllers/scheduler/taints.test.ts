import { expect, test } from 'vitest';
import { tolerates, toleratesAll } from './taints.ts';

const taint = { key: 'k', value: 'v', effect: 'NoSchedule' };

test.each([
  [{ key: 'k', operator: 'Equal', value: 'v', effect: 'NoSchedule' }, true],
  [{ key: 'k', value: 'v' }, true],
  [{ key: 'k', value: 'w' }, false],
  [{ key: 'k' }, false],
  [{ key: 'k', operator: 'Exists' }, true],
  [{ operator: 'Exists' }, true],
  [{ operator: 'Exists', effect: 'NoExecute' }, false],
  [{ key: 'j', operator: 'Exists' }, false],
  [{ key: 'k', operator: 'Gt', value: '0' }, false],
])('%j tolerates a taint: %s', (toleration, isTolerated) => {
  expect(tolerates(toleration, taint)).toBe(isTolerated);
});

test('only taints of the given effects have to be tolerated', () => {
  const soft = { key: 'k', value: '', effect: 'PreferNoSchedule' };
  expect(toleratesAll([], [soft], ['NoSchedule', 'NoExecute'])).toBe(true);
  expect(toleratesAll([], [soft, taint], ['NoSchedule', 'NoExecute'])).toBe(false);
});

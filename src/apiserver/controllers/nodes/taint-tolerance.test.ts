import { expect, test } from 'vitest';
import { toleranceSeconds } from './taint-tolerance.ts';

const taint = (key: string, effect = 'NoExecute') => ({ key, value: '', effect });
const toleration = (key: string, tolerationSeconds?: number) => ({
  key,
  operator: 'Exists',
  ...(tolerationSeconds !== undefined && { tolerationSeconds }),
});

test.each([
  ['no taints', [], [], Infinity],
  ['taints that only keep new pods away', [taint('a', 'NoSchedule')], [], Infinity],
  ['a taint that is not tolerated', [taint('a')], [], 0],
  ['a taint that is tolerated for ever', [taint('a')], [toleration('a')], Infinity],
  ['a taint that is tolerated for a while', [taint('a')], [toleration('a', 30)], 30],
  ['less than no time', [taint('a')], [toleration('a', -5)], 0],
  [
    'the shortest of several',
    [taint('a'), taint('b'), taint('c')],
    [toleration('a', 30), toleration('b', 20), toleration('c')],
    20,
  ],
  ['one of two', [taint('a'), taint('b')], [toleration('a', 30)], 0],
  [
    'a toleration that nothing needs',
    [taint('a')],
    [toleration('a'), toleration('b', 1)],
    Infinity,
  ],
])('%s', (_, taints, tolerations, seconds) => {
  expect(toleranceSeconds(tolerations, taints)).toBe(seconds);
});

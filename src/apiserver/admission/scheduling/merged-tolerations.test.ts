import { expect, it } from 'vitest';
import { mergeTolerations } from './merged-tolerations.ts';

const EXACT = { key: 'a', operator: 'Equal', value: 'x', effect: 'NoSchedule' };
const ANY_VALUE = { key: 'a', operator: 'Exists', effect: 'NoSchedule' };
const EVERYTHING = { operator: 'Exists' };

it('different tolerations are kept in their order', () => {
  const other = { key: 'b', operator: 'Exists' };
  expect(mergeTolerations([EXACT], [other])).toEqual([EXACT, other]);
});

it('of equal tolerations the first is kept', () => {
  expect(mergeTolerations([EXACT], [{ ...EXACT }])).toEqual([EXACT]);
});

it('a toleration that another one includes is left out, wherever it stands', () => {
  expect(mergeTolerations([EXACT], [ANY_VALUE])).toEqual([ANY_VALUE]);
  expect(mergeTolerations([ANY_VALUE], [EXACT])).toEqual([ANY_VALUE]);
  expect(mergeTolerations([EXACT, ANY_VALUE], [EVERYTHING])).toEqual([EVERYTHING]);
});

it('a toleration without end is not included by one that ends', () => {
  const short = { key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 };
  const long = { ...short, tolerationSeconds: 9 };
  const { tolerationSeconds: _, ...endless } = short;
  expect(mergeTolerations([endless], [short])).toEqual([endless]);
  expect(mergeTolerations([short], [long])).toEqual([long]);
});

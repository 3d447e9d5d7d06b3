import { expect, test } from 'vitest';
import { Budget } from '../../cel/cel.ts';
import { charge, expressionBudget, OutOfBudget, SharedBudget } from './expression-run.ts';

test('an expression may cost no more than is left for its policy and its request', () => {
  const request = new Budget(3_000_000);
  const policy = new SharedBudget(2_000_000, request);
  expect(expressionBudget(policy).limit).toBe(1_000_000);
  request.spent = 2_900_000;
  const own = expressionBudget(policy);
  expect(own.limit).toBe(100_000);
  own.spent = 100_001;
  expect(() => charge(policy, own)).toThrow(OutOfBudget);
  expect(() => expressionBudget(policy)).toThrow(OutOfBudget);
  expect([policy.spent, request.spent]).toEqual([100_000, 3_000_000]);
});

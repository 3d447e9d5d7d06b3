import { expect, test } from 'vitest';
import { DEFAULT_RULES } from './default-rules.ts';
import { readRules } from './rule-file.ts';

test('the default rules load', () => {
  expect(readRules('', DEFAULT_RULES)).toHaveLength(12);
});

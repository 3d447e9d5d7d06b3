import { expect, test } from 'vitest';
import { printObject } from './object-printer.ts';

const OBJECT = { spec: { seconds: 9223372036854775807n, count: 1 }, kind: 'A', metadata: {} };

test('JSON has every digit of an integer', async () => {
  expect(await printObject(OBJECT, 'json')).toBe(`{
    "kind": "A",
    "metadata": {},
    "spec": {
        "count": 1,
        "seconds": 9223372036854775807
    }
}
`);
});

test('YAML has every digit of an integer', async () => {
  const text = 'kind: A\nmetadata: {}\nspec:\n  count: 1\n  seconds: 9223372036854775807\n';
  expect(await printObject(OBJECT, 'yaml')).toBe(text);
});

import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../lib/json.ts';
import { printerColumns } from './printer-columns.ts';

const NOW = Date.UTC(2024, 0, 2);

function cell(type: string, value: Json): unknown {
  const columns = printerColumns([{ name: 'X', type, jsonPath: '.v' }]);
  const object: JsonObject = value === undefined ? {} : { v: value };
  return columns[1]?.cell(object, NOW);
}

describe('a cell', () => {
  test.each<readonly [string, Json, unknown]>([
    ['string', 'a', 'a'],
    ['string', 5, '5'],
    ['string', true, 'true'],
    ['string', { b: 1, a: [1] }, '{"a":[1],"b":1}'],
    ['string', null, '<no value>'],
    ['integer', 1.9, 1],
    ['integer', 'x', null],
    ['number', 1.5, 1.5],
    ['boolean', false, false],
    ['boolean', 'true', null],
    ['date', '2024-01-01T00:00:00Z', '24h'],
    ['date', 'yesterday', '<invalid>'],
    ['date', '', '<unknown>'],
    ['date', 5, null],
  ])('of type %s shows %j as %j', (type, value, shown) => {
    expect(cell(type, value)).toBe(shown);
  });

  test('is empty where its path leads nowhere', () => {
    const [, column] = printerColumns([{ name: 'X', type: 'string', jsonPath: '.nothing' }]);
    expect(column?.cell({}, NOW)).toBeNull();
  });
});

describe('columns', () => {
  test('are name and age by default', () => {
    expect(printerColumns(undefined).map(({ name }) => name)).toEqual(['Name', 'Age']);
  });

  test('end before one whose path cannot be parsed', () => {
    const good = { name: 'A', type: 'string', jsonPath: '.a' };
    const bad = { name: 'B', type: 'string', jsonPath: '.b[' };
    expect(printerColumns([good, bad, good]).map(({ name }) => name)).toEqual(['Name', 'A']);
  });
});

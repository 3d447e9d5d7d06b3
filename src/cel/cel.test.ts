/** CEL as a library: a caller declares names and types, compiles once, and evaluates with its own values. */
import { describe, expect, test } from 'vitest';
import {
  Budget,
  CelError,
  CelFailure,
  CelFault,
  compileProgram,
  CostExceeded,
  DYN,
  escapeName,
  FaultList,
  ListValue,
  MapValue,
  ObjectValue,
  OptionalValue,
  STRING,
  type CelType,
  type CelValue,
} from './cel.ts';

const COST_MAX = 1000;
const DOUBLE: CelType = { kind: 'double' };
const INT: CelType = { kind: 'int' };

/** Compiles and runs an expression whose variables have these types and values. */
function evaluate(
  text: string,
  variables: Readonly<Record<string, readonly [CelType, CelValue]>> = {},
): CelValue {
  const entries = Object.entries(variables);
  const program = compileProgram(text, new Map(entries.map(([name, [type]]) => [name, type])));
  return program.run(
    entries.map(([, [, value]]) => value),
    new Budget(COST_MAX),
  );
}

describe('a program', () => {
  test('is compiled once and evaluated with the values of each time', () => {
    const program = compileProgram(
      'used / capacity > 0.9',
      new Map([
        ['used', DOUBLE],
        ['capacity', DOUBLE],
      ]),
    );
    expect(program.type).toEqual({ kind: 'bool' });
    expect(program.run([95, 100], new Budget(COST_MAX))).toBe(true);
    expect(program.run([50, 100], new Budget(COST_MAX))).toBe(false);
  });

  test('names the variables that it reads, so that a caller need not prepare the others', () => {
    const program = compileProgram(
      "pod == 'web'",
      new Map([
        ['node', STRING],
        ['pod', STRING],
      ]),
    );
    expect([...program.uses]).toEqual(['pod']);
    expect(program.run([undefined, 'web'], new Budget(COST_MAX))).toBe(true);
  });

  test('reads lists, maps and optional values', () => {
    const labels: CelType = { kind: 'map', key: STRING, value: STRING };
    const numbers: CelType = { kind: 'list', item: INT };
    const before: CelType = { kind: 'optional', value: INT };
    expect(
      evaluate("labels['app'] + string(numbers.filter(n, n > 1).size() + before.orValue(10))", {
        labels: [labels, new MapValue([['app', 'web']])],
        numbers: [numbers, new ListValue([1n, 2n, 3n])],
        before: [before, new OptionalValue(undefined)],
      }),
    ).toBe('web12');
  });

  test('reads the fields of an object lazily, by escaped names where needed', () => {
    const read: string[] = [];
    const name = escapeName('free-bytes') ?? '';
    const disk: CelType = {
      kind: 'object',
      fields: new Map([
        [name, INT],
        ['path', STRING],
      ]),
    };
    const value = new ObjectValue(
      { 'free-bytes': 7, path: '/data' },
      {
        has: (field) => ['free-bytes', 'path'].includes(field),
        read: (field, json) => {
          read.push(field);
          return typeof json === 'number' ? BigInt(json) : undefined;
        },
      },
    );
    expect(evaluate('disk.free__dash__bytes < 10', { disk: [disk, value] })).toBe(true);
    expect(read).toEqual(['free-bytes']);
  });

  test('knows the functions that Kubernetes adds', () => {
    expect(evaluate("quantity('1Gi').isGreaterThan(quantity('1000M'))")).toBe(true);
    expect(evaluate("cidr('10.0.0.0/8').containsIP('10.1.2.3')")).toBe(true);
    expect(evaluate("'a-1 b-2'.findAll('[a-z]-[0-9]').join(',')")).toBe('a-1,b-2');
  });
});

describe('an expression is refused when it is compiled', () => {
  test('if it does not parse', () => {
    expect(() => compileProgram('1 +', new Map())).toThrow(CelFault);
  });

  test('if a name is unknown or a type is wrong, with every fault at once', () => {
    const compile = () => compileProgram('nope && 1', new Map());
    expect(compile).toThrow(FaultList);
    expect(compile).toThrow("undeclared reference to 'nope'");
    expect(compile).toThrow("expected type 'bool' but found 'int'");
  });

  test('if a part of it would always fail', () => {
    expect(() => compileProgram("int('x') == 1", new Map())).toThrow(CelFailure);
  });
});

describe('an evaluation fails', () => {
  test('if a value does not fit; types that are known only at run time are checked then', () => {
    expect(() => evaluate('value + 1', { value: [DYN, 'text'] })).toThrow(CelError);
    expect(() => evaluate('1 / zero', { zero: [INT, 0n] })).toThrow('division by zero');
  });

  test('if it exceeds its budget, and another evaluation has a budget of its own', () => {
    const program = compileProgram('lists.range(50).all(x, x >= 0)', new Map());
    const budget = new Budget(COST_MAX);
    expect(() => program.run([], new Budget(20))).toThrow(CostExceeded);
    expect(program.run([], budget)).toBe(true);
    expect(budget.spent).toBeGreaterThan(50);
  });
});

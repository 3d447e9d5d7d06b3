import { describe, expect, test } from 'vitest';
import { Budget, compileProgram, DYN, MessageValue, patchMessages } from './cel.ts';

const VARIABLES = new Map([
  ['o', DYN],
  ['Object', DYN],
]);

function run(text: string, o: string | null = null) {
  return compileProgram(text, VARIABLES, patchMessages).run([o], new Budget(100_000));
}

function faultOf(text: string): string {
  try {
    compileProgram(text, new Map(), patchMessages);
  } catch (error) {
    if (error instanceof Error) return error.message;
  }
  return 'compiled';
}

describe('message literals', () => {
  test('are values of their type, nested and between other literals', () => {
    const made = run(
      "Object{spec: Object.spec{replicas: 3, m: {'a{b:': 'c}'}, l: [Object.spec.l{}]}, kind: 'x'}",
    );
    expect(made).toBeInstanceOf(MessageValue);
    expect(run('Object{a: 1} == Object{a: 1}')).toBe(true);
    expect(run('Object{a: 1} == Object{a: 2}')).toBe(false);
    expect(run('Object{a: Object.a{b: 7}}.a.b')).toBe(7n);
    expect(run('[1, 2].map(i, Object.x{i: i})[1].i == 2')).toBe(true);
    expect(run('Object{namespace: 1, in_: 2, `a-b/c`: 3,}.namespace')).toBe(1n);
    expect(run('has(Object{a: 1}.a) && !has(Object{a: 1}.b)')).toBe(true);
  });

  test('skip strings and comments', () => {
    expect(run('"Object{a: 1}" + \'x\\\'{\' + r"{" + """\n"{" """ // Object{')).toBe(
      'Object{a: 1}x\'{{\n"{" ',
    );
    expect(run("'a' in {'a': 1} ? {'b': 2}['b'] : 3")).toBe(2n);
  });

  test('leave an optional field out that has no value', () => {
    const made = run('Object{?a: optional.none(), ?b: optional.of(1)}');
    expect(made instanceof MessageValue && [...made.fields]).toEqual([['b', 1n]]);
  });

  test('are reported where the author wrote them', () => {
    expect(faultOf('Object{x: nope}')).toContain('<input>:1:11: undeclared reference to');
    expect(faultOf('Object{x: nope}')).toContain('\n | Object{x: nope}\n | ..........^');
    expect(faultOf('Thing{x: 1}')).toContain("<input>:1:6: undeclared reference to 'Thing'");
    expect(faultOf('JSONPatch{op: 1}')).toContain(
      "expected type of field 'op' is 'string' but provided type is 'int'",
    );
    expect(faultOf('JSONPatch{nope: 1}')).toContain("undefined field 'nope'");
    expect(faultOf("[JSONPatch{op: 'add'}, 5]")).toContain(
      "<input>:1:24: expected type 'JSONPatch' but found 'int'",
    );
    expect(faultOf('Object{')).toContain('Syntax error');
    expect(faultOf('Object{1: 2}')).toContain('Syntax error');
    expect(faultOf('Object{{}: 2}')).toContain('Syntax error');
    expect(faultOf('Object{}{}')).toContain('Syntax error');
  });

  test('exist only where their types do, as does jsonpatch.escapeKey', () => {
    expect(() => compileProgram('Object{}', new Map())).toThrow("undeclared reference to 'Object'");
    expect(() => compileProgram("jsonpatch.escapeKey('a')", new Map())).toThrow('undeclared');
    expect(run("jsonpatch.escapeKey('k8s.io/my~label')")).toBe('k8s.io~1my~0label');
  });
});

test('a long text with many literals, or with strings that do not end, is read in linear time', () => {
  const many = `[${'Object{a: 1},'.repeat(1000)}]`;
  expect(run(`${many}.size()`)).toBe(1000n);
  expect(faultOf(`{"${'\\"'.repeat(200_000)}`)).toContain('Syntax error');
  expect(faultOf(`{${"'''\\''".repeat(50_000)}`)).toContain('Syntax error');
});

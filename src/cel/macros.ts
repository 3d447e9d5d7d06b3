/**
 * Compiles macros, the calls that bind variables. `list.all(x, p)` and the like iterate over the items of a
 * list or the keys of a map; with two variables over indexes and items, or over keys and values.
 */
import { compilePresence } from './access.ts';
import { requireBoolean, type Expression, type Frame, type Scope } from './expression.ts';
import { CelFault, noSuchOverload } from './fault.ts';
import { compareValues } from './library/ordering.ts';
import { NOT_A_NAME, placeOf, type ASTNode } from './syntax.ts';
import { asBoolean, attempt } from './truth.ts';
import { BOOL, DYN, INT, printType, type CelType } from './type.ts';
import { ListValue, MapValue, OptionalValue, type CelValue } from './value.ts';

type Pair = readonly [CelValue, CelValue];

/**
 * How many variables each macro binds, depending on its number of arguments. 0: it does not take this many
 * arguments.
 */
const LOOPS: ReadonlyMap<string, (args: number) => 0 | 1 | 2> = new Map([
  ['all', (args) => (args === 2 ? 1 : args === 3 ? 2 : 0)],
  ['exists', (args) => (args === 2 ? 1 : args === 3 ? 2 : 0)],
  ['exists_one', (args) => (args === 2 ? 1 : 0)],
  ['existsOne', (args) => (args === 2 ? 1 : args === 3 ? 2 : 0)],
  ['map', (args) => (args === 2 || args === 3 ? 1 : 0)],
  ['filter', (args) => (args === 2 ? 1 : 0)],
  ['sortBy', (args) => (args === 2 ? 1 : 0)],
  ['transformList', (args) => (args === 3 || args === 4 ? 2 : 0)],
  ['transformMap', (args) => (args === 3 || args === 4 ? 2 : 0)],
  ['transformMapEntry', (args) => (args === 3 || args === 4 ? 2 : 0)],
]);

/** Undefined: the call is not a macro. */
export function compileMacro(
  node: ASTNode,
  name: string,
  receiver: ASTNode | undefined,
  args: readonly ASTNode[],
  scope: Scope,
): Expression | undefined {
  if (!receiver) return name === 'has' ? compilePresence(node, args[0], scope) : undefined;
  if ((name === 'optMap' || name === 'optFlatMap') && args.length === 2) {
    return compileOptMap(node, receiver, args, scope, name === 'optFlatMap');
  }
  const names = LOOPS.get(name)?.(args.length) ?? 0;
  return names === 0 ? undefined : compileLoop(node, name, receiver, args, names, scope);
}

interface Loop {
  readonly range: Expression;
  readonly body: readonly Expression[];
  /** The pairs of the loop, each bound in turn. */
  readonly over: (frame: Frame) => Iterable<Pair>;
}

function compileLoop(
  node: ASTNode,
  name: string,
  receiver: ASTNode,
  args: readonly ASTNode[],
  count: 1 | 2,
  scope: Scope,
): Expression {
  const range = scope.compile(receiver, scope);
  const names = args.slice(0, count).map((arg) => nameOf(arg));
  const types = rangeTypes(receiver, range.type, count);
  const bound = bindNames(scope, names, types);
  const body = args.slice(count).map((arg) => bound.compile(arg, bound));
  const first = scope.slot;
  const over = function* (frame: Frame): Iterable<Pair> {
    for (const pair of pairsOf(range.run(frame))) {
      frame.budget.spend(1);
      const [key, value] = pair;
      frame.slots[first] = count === 2 ? key : isMapRange(range.type, pair) ? key : value;
      if (count === 2) frame.slots[first + 1] = value;
      yield pair;
    }
  };
  return finish(node, name, { range, body, over }, args.slice(count), types, scope);
}

function nameOf(arg: ASTNode): string {
  if (arg.op === 'id') return arg.args;
  throw new CelFault(arg.input, placeOf(arg), NOT_A_NAME);
}

function bindNames(scope: Scope, names: readonly string[], types: readonly CelType[]): Scope {
  const added = names.map((name, index) => {
    return [name, { type: types[index] ?? DYN, slot: scope.slot + index }] as const;
  });
  return {
    ...scope,
    variables: new Map([...scope.variables, ...added]),
    slot: scope.slot + names.length,
  };
}

function rangeTypes(receiver: ASTNode, type: CelType, count: 1 | 2): readonly CelType[] {
  if (type.kind === 'list') return count === 1 ? [type.item] : [INT, type.item];
  if (type.kind === 'map') return count === 1 ? [type.key] : [type.key, type.value];
  if (type.kind === 'dyn') return [DYN, DYN];
  const problem =
    `expression of type '${printType(type)}' cannot be range of a comprehension ` +
    '(must be list, map, or dynamic)';
  throw new CelFault(receiver.input, placeOf(receiver), problem);
}

function pairsOf(value: CelValue): readonly Pair[] {
  if (value instanceof ListValue) return value.items.map((item, index) => [BigInt(index), item]);
  if (value instanceof MapValue) return value.entries();
  throw noSuchOverload();
}

/**
 * With one variable, a map yields its keys. A list yields its items, even if the type is known only at run
 * time.
 */
function isMapRange(type: CelType, [key]: Pair): boolean {
  return type.kind === 'map' || (type.kind === 'dyn' && typeof key !== 'bigint');
}

function finish(
  node: ASTNode,
  name: string,
  loop: Loop,
  args: readonly ASTNode[],
  types: readonly CelType[],
  scope: Scope,
): Expression {
  const [body, second] = loop.body;
  const [arg] = args;
  if (!body || !arg) throw new CelFault(node.input, node.start, 'an expression is missing');
  switch (name) {
    case 'all':
    case 'exists':
      requireBoolean(arg, body, scope);
      return quantifier(loop, body, name === 'exists');
    case 'exists_one':
    case 'existsOne':
      requireBoolean(arg, body, scope);
      return exactlyOne(loop, body);
    case 'filter':
      requireBoolean(arg, body, scope);
      return filtered(loop, body, types[0] ?? DYN);
    case 'sortBy':
      return sortedBy(loop, body);
    default: {
      if (second) requireBoolean(arg, body, scope);
      const filter = second && body;
      const result = second ?? body;
      if (name === 'map' || name === 'transformList') return mapped(loop, result, filter);
      return mappedToMap(loop, result, filter, name === 'transformMapEntry', types);
    }
  }
}

/**
 * `deciding`: the result that ends the loop (false for `all`, true for `exists`). It overrides earlier
 * failures.
 */
function quantifier({ over }: Loop, body: Expression, deciding: boolean): Expression {
  return {
    type: BOOL,
    run: (frame) => {
      let failure: Error | undefined;
      for (const _ of over(frame)) {
        const answer = attempt(() => asBoolean(body.run(frame)));
        if (answer === deciding) return deciding;
        if (answer instanceof Error) failure ??= answer;
      }
      if (failure) throw failure;
      return !deciding;
    },
  };
}

function exactlyOne({ over }: Loop, body: Expression): Expression {
  return {
    type: BOOL,
    run: (frame) => {
      let count = 0;
      for (const _ of over(frame)) if (asBoolean(body.run(frame))) count += 1;
      return count === 1;
    },
  };
}

function filtered({ over, range }: Loop, body: Expression, item: CelType): Expression {
  return {
    type: { kind: 'list', item },
    run: (frame) => {
      const kept: CelValue[] = [];
      for (const pair of over(frame)) {
        const isKept = asBoolean(body.run(frame));
        if (isKept) kept.push(isMapRange(range.type, pair) ? pair[0] : pair[1]);
      }
      return new ListValue(kept);
    },
  };
}

function mapped({ over }: Loop, body: Expression, filter: Expression | undefined): Expression {
  return {
    type: { kind: 'list', item: body.type },
    run: (frame) => {
      const made: CelValue[] = [];
      for (const _ of over(frame)) {
        if (!filter || asBoolean(filter.run(frame))) made.push(body.run(frame));
      }
      return new ListValue(made);
    },
  };
}

function mappedToMap(
  { over }: Loop,
  body: Expression,
  filter: Expression | undefined,
  makesEntries: boolean,
  types: readonly CelType[],
): Expression {
  const type: CelType = makesEntries
    ? body.type
    : { kind: 'map', key: types[0] ?? DYN, value: body.type };
  return {
    type,
    run: (frame) => {
      const made: Pair[] = [];
      for (const [key] of over(frame)) {
        if (filter && !asBoolean(filter.run(frame))) continue;
        const value = body.run(frame);
        if (!makesEntries) made.push([key, value]);
        else if (value instanceof MapValue) made.push(...value.entries());
      }
      return new MapValue(made);
    },
  };
}

function sortedBy({ over }: Loop, body: Expression): Expression {
  return {
    type: { kind: 'list', item: DYN },
    run: (frame) => {
      const keyed: Pair[] = [];
      for (const [, item] of over(frame)) keyed.push([body.run(frame), item]);
      frame.budget.walk(keyed.length * 20);
      const sorted = keyed.toSorted(([a], [b]) => compareValues(a, b));
      return new ListValue(sorted.map(([, item]) => item));
    },
  };
}

/** `o.optMap(x, e)`: evaluates `e` with the value of `o`, if `o` has one. */
function compileOptMap(
  node: ASTNode,
  receiver: ASTNode,
  args: readonly ASTNode[],
  scope: Scope,
  isFlat: boolean,
): Expression {
  const inner = scope.compile(receiver, scope);
  const [arg, result] = args;
  const type = inner.type.kind === 'optional' ? inner.type.value : DYN;
  if (!arg || !result || (inner.type.kind !== 'optional' && inner.type.kind !== 'dyn')) {
    const problem = `found no matching overload for 'optMap' applied to '${printType(inner.type)}'`;
    throw new CelFault(node.input, node.start, problem);
  }
  const bound = bindNames(scope, [nameOf(arg)], [type]);
  const body = bound.compile(result, bound);
  return {
    type: isFlat ? body.type : { kind: 'optional', value: body.type },
    run: (frame) => {
      frame.budget.spend(1);
      const given = inner.run(frame);
      if (!(given instanceof OptionalValue)) throw noSuchOverload();
      if (given.value === undefined) return given;
      frame.slots[scope.slot] = given.value;
      const made = body.run(frame);
      return isFlat ? made : new OptionalValue(made);
    },
  };
}

/**
 * Creates mutants of a source file: copies with one small, mechanical mistake each.
 *
 *   negate a condition is negated guard a guard is left out logic && and || are exchanged compare a
 *   comparison is off by one case effect an effect is left out branches two branches are exchanged boolean
 *   true and false are exchanged empty a list of effects is emptied
 *
 * A good test suite detects all of these. The name of a mutant consists of operator, function and the changed
 * words, so that it stays the same when other parts of the file change.
 */
import { parseSync } from 'oxc-parser';
import { isNode, walk, type Node } from '../tidy/walk.ts';

export interface Mutant {
  readonly name: string;
  readonly line: number;
  readonly text: string;
}

interface Edit {
  readonly operator: string;
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

const COMPARISONS: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
};

export function mutantsOf(file: string, text: string): readonly Mutant[] {
  const { program } = parseSync(file, text);
  const edits: Edit[] = [];
  const functions: Node[] = [];
  for (const { node, parent } of walk(program as unknown as Node)) {
    if (node.type === 'FunctionDeclaration' || node.type === 'MethodDefinition')
      functions.push(node);
    edits.push(...editsOf(node, parent, text));
  }
  const seen = new Map<string, number>();
  return edits.map((edit) => {
    const where = nameOf(
      functions.findLast((f) => contains(f, edit)),
      text,
    );
    const words = text.slice(edit.start, edit.end).replaceAll(/\s+/g, ' ').slice(0, 60);
    const base = `${edit.operator} ${where}: ${words}`;
    const count = (seen.get(base) ?? 0) + 1;
    seen.set(base, count);
    return {
      name: count > 1 ? `${base} #${count}` : base,
      line: text.slice(0, edit.start).split('\n').length,
      text: text.slice(0, edit.start) + edit.replacement + text.slice(edit.end),
    };
  });
}

function* editsOf(node: Node, parent: Node | undefined, text: string): Generator<Edit> {
  const source = (part: Node): string => text.slice(part.start, part.end);
  const edit = (operator: string, part: Node, replacement: string): Edit => ({
    operator,
    start: part.start,
    end: part.end,
    replacement,
  });
  const { test, consequent, alternate } = node;
  if (isNode(test) && (node.type === 'IfStatement' || node.type === 'ConditionalExpression')) {
    if (isNode(consequent) && isNode(alternate)) {
      yield edit('branches', node, swapped(node, test, consequent, alternate, source));
    } else if (node.type === 'IfStatement') {
      // `compare` already negates equalities.
      if (!isEquality(test)) yield edit('negate', test, `!(${source(test)})`);
      yield edit('guard', node, '');
    }
  }
  if (
    node.type === 'LogicalExpression' &&
    (node['operator'] === '&&' || node['operator'] === '||')
  ) {
    const [left, right] = [node['left'], node['right']];
    if (isNode(left) && isNode(right)) {
      const other = node['operator'] === '&&' ? '||' : '&&';
      yield edit('logic', node, `((${source(left)}) ${other} (${source(right)}))`);
    }
  }
  if (node.type === 'BinaryExpression') {
    const [left, right] = [node['left'], node['right']];
    const other = COMPARISONS[String(node['operator'])];
    if (other && isNode(left) && isNode(right)) {
      yield edit('compare', node, `${source(left)} ${other} ${source(right)}`);
    }
  }
  if (node.type === 'Literal' && typeof node['value'] === 'boolean' && !inType(parent)) {
    yield edit('boolean', node, String(!node['value']));
  }
  yield* effectEdits(node, text);
}

/** An effect is an object with a `type` that is in a list, or is an argument after the first. */
function* effectEdits(node: Node, text: string): Generator<Edit> {
  const items = node.type === 'CallExpression' ? node['arguments'] : node['elements'];
  if (!Array.isArray(items)) return;
  const parts = items.filter(isNode);
  for (const [index, part] of parts.entries()) {
    const isEffect = isTyped(part) || part.type === 'SpreadElement';
    if (!isEffect || (node.type === 'CallExpression' && index === 0)) continue;
    if (node.type !== 'CallExpression' && node.type !== 'ArrayExpression') continue;
    // The comma before or after the effect is removed, too.
    const next = parts[index + 1];
    const before = parts[index - 1];
    const start = next || !before ? part.start : before.end;
    const end = next ? next.start : part.end;
    yield { operator: 'effect', start, end, replacement: '' };
  }
  if (node.type === 'ArrayExpression' && parts.length > 1 && text[node.start] === '[') {
    yield { operator: 'empty', start: node.start, end: node.end, replacement: '[]' };
  }
}

function swapped(
  node: Node,
  test: Node,
  consequent: Node,
  alternate: Node,
  source: (part: Node) => string,
): string {
  return node.type === 'IfStatement'
    ? `if (${source(test)}) { ${source(alternate)} } else { ${source(consequent)} }`
    : `(${source(test)}) ? (${source(alternate)}) : (${source(consequent)})`;
}

function isEquality({ type, operator }: Node): boolean {
  return type === 'BinaryExpression' && (operator === '===' || operator === '!==');
}

function isTyped(node: Node): boolean {
  const properties = node.type === 'ObjectExpression' ? node['properties'] : undefined;
  return (
    Array.isArray(properties) &&
    properties.some(
      (property) =>
        isNode(property) && isNode(property['key']) && property['key']['name'] === 'type',
    )
  );
}

function inType(parent: Node | undefined): boolean {
  return parent?.type.startsWith('TS') ?? false;
}

function contains(outer: Node, { start, end }: Edit): boolean {
  return outer.start <= start && end <= outer.end;
}

function nameOf(node: Node | undefined, text: string): string {
  const id = node?.['id'] ?? node?.['key'];
  return isNode(id) ? text.slice(id.start, id.end) : '(file)';
}

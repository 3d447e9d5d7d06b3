/** Compiles calls of functions and methods. The types of the arguments select the overload. */
import { compileList } from './aggregates.ts';
import type { Expression, Scope } from './expression.ts';
import { Budget, CelError, CelFailure, CelFault } from './fault.ts';
import { library } from './library/library.ts';
import { isReadable } from './library/literals.ts';
import { compileMacro } from './macros.ts';
import { resolve, undeclared } from './resolution.ts';
import type { ASTNode } from './syntax.ts';

export function compileCall(
  node: ASTNode,
  name: string,
  receiver: ASTNode | undefined,
  args: readonly ASTNode[],
  scope: Scope,
): Expression {
  const macro = compileMacro(node, name, receiver, args, scope);
  if (macro) return macro;
  const isNamespaced =
    receiver?.op === 'id' &&
    !scope.variables.has(receiver.args) &&
    library.has(`${receiver.args}.${name}`);
  const fullName = isNamespaced ? `${receiver.args}.${name}` : name;
  const isMethod = receiver !== undefined && !isNamespaced;
  const all = [...(isMethod ? [receiver] : []), ...args];
  const inner = all.map((one) =>
    // The arguments of `format` may be of any types.
    name === 'format' && one.op === 'list'
      ? compileList(one.args, scope, true)
      : scope.compile(one, scope),
  );
  const isPatching = fullName.startsWith('jsonpatch.');
  if (!library.has(fullName) || (isPatching && !scope.messages)) throw undeclared(node, fullName);
  checkLiterals(fullName, all);
  const resolved = resolve(node, fullName, isMethod, inner);
  return CONVERSIONS.has(fullName) && all.every(isLiteral) ? fold(resolved) : resolved;
}

/** Functions that are evaluated at compile time if their argument is a literal. */
const CONVERSIONS: ReadonlySet<string> = new Set([
  'int',
  'uint',
  'double',
  'bool',
  'string',
  'bytes',
  'timestamp',
  'duration',
]);

function isLiteral(node: ASTNode): boolean {
  return node.op === 'value' || (node.op === '-_' && node.args.op === 'value');
}

function fold({ type, run }: Expression): Expression {
  try {
    const value = run({ slots: [], budget: new Budget(FOLD_COST_MAX) });
    return { type, run: () => value };
  } catch (error) {
    if (!(error instanceof CelError)) throw error;
    throw new CelFailure(error.message);
  }
}

const FOLD_COST_MAX = 10_000;

/** A string literal that the function cannot parse is a compile error. */
function checkLiterals(name: string, args: readonly ASTNode[]): void {
  const subject = name === 'matches' ? args[1] : args[0];
  if (subject?.op !== 'value' || typeof subject.args !== 'string') return;
  if (!['matches', 'duration', 'timestamp'].includes(name)) return;
  if (isReadable(name, subject.args)) return;
  throw new CelFault(subject.input, subject.start, `invalid ${name} argument`);
}

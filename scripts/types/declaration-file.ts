/**
 * Parses one emitted declaration file for the roll-up: its declarations, imports and exports, and the names to
 * which each declaration refers.
 */
import { parseSync } from 'oxc-parser';
import { isNode, walk, type Node } from '../tidy/walk.ts';

/** A name that a declaration uses, such as `Pod` or `query.State`, with its position in the text. */
export interface Reference {
  readonly start: number;
  readonly end: number;
  /** The module of an import type: `import('./pod.ts').Pod`. Absent: the name is of this file. */
  readonly source?: string;
  readonly path: readonly string[];
}

export interface Declaration {
  readonly name: string;
  /** The position of the declared name. */
  readonly nameStart: number;
  readonly start: number;
  readonly end: number;
  /** The comment before it. */
  readonly doc: string;
  readonly kind: 'type' | 'class' | 'value';
  readonly references: readonly Reference[];
}

export interface Import {
  readonly source: string;
  /** `*`: the whole module, as a namespace. */
  readonly name: string;
}

export interface Export {
  /** Absent: a name of this file. */
  readonly source?: string;
  readonly name: string;
  readonly isType: boolean;
}

export interface DeclarationFile {
  readonly text: string;
  /** The comment at the beginning of the file. */
  readonly header: string;
  /** A list, because overloads of a function have the same name. */
  readonly declarations: ReadonlyMap<string, readonly Declaration[]>;
  readonly imports: ReadonlyMap<string, Import>;
  readonly exports: ReadonlyMap<string, Export>;
  readonly stars: readonly { readonly source: string; readonly isType: boolean }[];
}

interface Parts {
  readonly declarations: Map<string, Declaration[]>;
  readonly imports: Map<string, Import>;
  readonly exports: Map<string, Export>;
  readonly stars: { source: string; isType: boolean }[];
}

export function readDeclarationFile(name: string, text: string): DeclarationFile {
  const { program, comments, errors } = parseSync(name, text);
  if (errors.length > 0) throw new Error(`${name}: ${errors[0]?.message}`);
  const parts: Parts = {
    declarations: new Map(),
    imports: new Map(),
    exports: new Map(),
    stars: [],
  };
  const docBefore = (start: number): string => {
    const last = comments.findLast(({ end }) => end <= start);
    const isDoc = last && text.startsWith('/**', last.start);
    return isDoc && text.slice(last.end, start).trim() === ''
      ? text.slice(last.start, last.end)
      : '';
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its nodes are read by their fields
  for (const statement of program.body as unknown as readonly Node[]) {
    readStatement(statement, parts, docBefore, name);
  }
  const [first] = comments;
  const header = first?.start === 0 ? text.slice(0, first.end) : '';
  return { text, header, ...parts };
}

function readStatement(
  statement: Node,
  parts: Parts,
  docBefore: (start: number) => string,
  file: string,
): void {
  const source = literal(statement['source']);
  const isType = statement['exportKind'] === 'type';
  if (statement.type === 'ImportDeclaration') {
    for (const each of nodes(statement['specifiers'])) {
      const all = each.type === 'ImportNamespaceSpecifier';
      const name = all ? '*' : nameOf(each['imported']);
      parts.imports.set(nameOf(each['local']), { source: source ?? '', name });
    }
  } else if (statement.type === 'ExportAllDeclaration') {
    parts.stars.push({ source: source ?? '', isType });
  } else if (statement.type === 'ExportNamedDeclaration' && !isNode(statement['declaration'])) {
    for (const each of nodes(statement['specifiers'])) {
      parts.exports.set(nameOf(each['exported']), {
        ...(source !== undefined && { source }),
        name: nameOf(each['local']),
        isType: isType || each['exportKind'] === 'type',
      });
    }
  } else {
    const inner = statement['declaration'];
    const node = isNode(inner) ? inner : statement;
    const doc = docBefore(statement.start);
    for (const declaration of declarationsOf(node, doc, file)) {
      const { name } = declaration;
      parts.declarations.set(name, [...(parts.declarations.get(name) ?? []), declaration]);
      if (node !== statement) parts.exports.set(name, { name, isType: false });
    }
  }
}

const KINDS: Readonly<Record<string, Declaration['kind']>> = {
  TSInterfaceDeclaration: 'type',
  TSTypeAliasDeclaration: 'type',
  ClassDeclaration: 'class',
  TSDeclareFunction: 'value',
  VariableDeclaration: 'value',
};

function declarationsOf(node: Node, doc: string, file: string): readonly Declaration[] {
  const kind = KINDS[node.type];
  const variables = nodes(node['declarations']);
  const id = variables[0]?.['id'] ?? node['id'];
  if (!kind || variables.length > 1 || !isNode(id)) {
    throw new Error(`${file}: ${node.type} cannot be rolled up; declare one name at a time`);
  }
  const references = [...referencesIn(node)];
  const range = { start: node.start, end: node.end };
  return [{ name: nameOf(id), nameStart: id.start, ...range, doc, kind, references }];
}

/** The field that holds a used name, by the type of the syntax node. */
const USES: Readonly<Record<string, string>> = {
  TSTypeReference: 'typeName',
  TSTypeQuery: 'exprName',
  TSInterfaceHeritage: 'expression',
  TSClassImplements: 'expression',
  ClassDeclaration: 'superClass',
};

function* referencesIn(declaration: Node): Generator<Reference> {
  const own = new Set<string>();
  for (const { node } of walk(declaration)) {
    if (node.type === 'TSTypeParameter') own.add(nameOf(node['name']));
    if (node.type === 'TSMappedType') own.add(nameOf(node['key']));
  }
  for (const { node } of walk(declaration)) {
    if (node.type === 'TSImportType') {
      const { qualifier } = node;
      const source = literal(node['source']);
      if (!isNode(qualifier) || source === undefined) throw new Error('import() without a name');
      yield { start: node.start, end: qualifier.end, source, path: pathOf(qualifier) };
    }
    const used = node[USES[node.type] ?? ''];
    if (!isNode(used) || used.type === 'TSImportType' || used.type === 'TSThisType') continue;
    const path = pathOf(used);
    if (!own.has(path[0] ?? '')) yield { start: used.start, end: used.end, path };
  }
}

function pathOf(node: Node): readonly string[] {
  if (node.type === 'Identifier') return [nameOf(node)];
  const left = node['left'] ?? node['object'];
  const right = node['right'] ?? node['property'];
  if (!isNode(left) || !isNode(right)) throw new Error(`no name: ${node.type}`);
  return [...pathOf(left), nameOf(right)];
}

function nodes(value: unknown): readonly Node[] {
  return Array.isArray(value) ? value.filter((each) => isNode(each)) : [];
}

function nameOf(node: unknown): string {
  return isNode(node) ? String(node['name'] ?? node['value']) : String(node);
}

function literal(node: unknown): string | undefined {
  return isNode(node) ? String(node['value']) : undefined;
}

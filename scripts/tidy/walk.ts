/** Walks a syntax tree: yields every node, parents before children. */

export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

export interface Visited {
  readonly node: Node;
  readonly parent: Node | undefined;
}

export function* walk(root: Node): Generator<Visited> {
  // An explicit stack: nested generators would pass every node through all levels above it.
  const stack: Visited[] = [{ node: root, parent: undefined }];
  for (let visited = stack.pop(); visited; visited = stack.pop()) {
    yield visited;
    const { node } = visited;
    const children = Object.values(node).flat().filter(isNode);
    for (const child of children.toReversed()) stack.push({ node: child, parent: node });
  }
}

/** Every node of a syntax tree, parents before children. */

export interface Node {
  readonly type: string;
  readonly start: number;
  readonly [field: string]: unknown;
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

export function* walk(
  node: Node,
  parent?: Node,
): Generator<{ readonly node: Node; readonly parent: Node | undefined }> {
  yield { node, parent };
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (isNode(child)) yield* walk(child, node);
    }
  }
}

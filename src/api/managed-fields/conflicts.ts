/**
 * Describes server-side apply conflicts: fields that an apply would change although other managers own them.
 */
import { describeElement } from './path-element.ts';
import {
  EMPTY_SET,
  hasPath,
  pathsOf,
  setOf,
  union,
  type FieldPath,
  type FieldSet,
} from './field-set.ts';
import { compareText, type ManagedSet } from './managers.ts';

export interface Conflict {
  readonly by: ManagedSet;
  readonly path: FieldPath;
}

export class ConflictError extends Error {
  readonly conflicts: readonly Conflict[];

  constructor(conflicts: readonly Conflict[]) {
    super(describeConflicts(conflicts));
    this.conflicts = conflicts;
  }

  get fields(): FieldSet {
    return this.conflicts.reduce((set, { path }) => union(set, setOf([path])), EMPTY_SET);
  }

  /** The error without the conflicts whose path is in the set. */
  without(set: FieldSet): ConflictError {
    return new ConflictError(this.conflicts.filter(({ path }) => !hasPath(set, path)));
  }
}

export function conflictsWith(by: ManagedSet, fields: FieldSet): readonly Conflict[] {
  return [...pathsOf(fields)].map((path) => ({ by, path }));
}

/** `conflict with "kubectl" using apps/v1` */
export function describeConflict({ by }: Conflict): string {
  return `conflict with ${describeManager(by)}`;
}

export function describePath(path: FieldPath): string {
  return path.map(describeElement).join('');
}

function describeConflicts(conflicts: readonly Conflict[]): string {
  const [first] = conflicts;
  if (first && conflicts.length === 1) {
    return `Apply failed with 1 conflict: ${describeConflict(first)}: ${describePath(first.path)}`;
  }
  const managers = new Map<string, FieldPath[]>();
  const ordered = conflicts.toSorted((a, b) => compareText(sortKey(a.by), sortKey(b.by)));
  for (const { by, path } of ordered) {
    const name = describeManager(by);
    managers.set(name, [...(managers.get(name) ?? []), path]);
  }
  const lines = [...managers].flatMap(([name, paths]) => [
    `conflicts with ${name}:`,
    ...paths.map((path) => `- ${describePath(path)}`),
  ]);
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`;
}

function sortKey({ manager, operation, apiVersion, subresource }: ManagedSet): string {
  return JSON.stringify({ manager, operation, apiVersion, subresource });
}

function describeManager({ manager, operation, apiVersion, subresource }: ManagedSet): string {
  const name =
    subresource === ''
      ? JSON.stringify(manager)
      : `${JSON.stringify(manager)} with subresource ${JSON.stringify(subresource)}`;
  return operation === 'Update' ? `${name} using ${apiVersion}` : name;
}

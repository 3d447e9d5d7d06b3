/**
 * A metric family: the metrics of one name, distinguished by the values of their labels.
 *
 *     requests ── GET ── 200 ── a counter
 *              │     └── 404 ── a counter
 *              └─ POST ─ 201 ── a counter
 *
 * Metrics are in a tree with one level per label. So a lookup builds no string, and joined values cannot
 * collide. Frequently executed code calls `with` once and keeps the metric.
 *
 * The caller limits the number of values of a label. For labels that name short-lived objects there are
 * `remove` and `reset`; a removed metric that a caller still keeps is no longer shown.
 */
import { assert, InvariantError } from '../assert.ts';
import type { Metric, MetricKind } from './metric.ts';

export type LabelValues<Label extends string> = Readonly<Record<Label, string>>;

export interface FamilyHead<Label extends string = string> {
  readonly kind: MetricKind;
  readonly name: string;
  readonly help: string;
  readonly labels: readonly Label[];
}

/** A metric with its labels as both text formats write them: `method="GET",code="200"`. */
export interface Member<M extends Metric = Metric> {
  readonly labelText: string;
  readonly metric: M;
}

interface Branch<M extends Metric> {
  readonly branches: Map<string, Branch<M>>;
  /** Null: this is not the last level. */
  member: Member<M> | null;
}

/** Names that begin with two underscores are reserved for Prometheus, and `le` for buckets. */
const LABEL_NAME = /^(?!__)[a-zA-Z_][a-zA-Z0-9_]*$/;

export class Family<M extends Metric, Label extends string = never> {
  readonly kind: MetricKind;
  readonly name: string;
  readonly help: string;
  /** In alphabetical order, as they are shown. */
  readonly labels: readonly Label[];
  readonly #make: () => M;
  #root: Branch<M> = emptyBranch();

  constructor(head: FamilyHead<Label>, make: () => M) {
    this.kind = head.kind;
    this.name = head.name;
    this.help = head.help;
    this.labels = head.labels.toSorted();
    this.#make = make;
    for (const [index, label] of this.labels.entries()) {
      const fits = LABEL_NAME.test(label) && label !== 'le';
      assert(fits, `${this.name}: "${label}" cannot be a label`);
      assert(label !== this.labels[index - 1], `${this.name}: label ${label} is declared twice`);
    }
  }

  /** The metric with these label values; created if it does not exist yet. */
  with(values: LabelValues<Label>): M {
    this.#refuseUndeclared(values);
    let branch = this.#root;
    for (const label of this.labels) {
      const value = this.#valueOf(values, label);
      let next = branch.branches.get(value);
      if (next === undefined) branch.branches.set(value, (next = emptyBranch()));
      branch = next;
    }
    branch.member ??= { labelText: this.#textOf(values), metric: this.#make() };
    return branch.member.metric;
  }

  /** Removes the metric with these label values. False: there was none. */
  remove(values: LabelValues<Label>): boolean {
    this.#refuseUndeclared(values);
    const path = this.labels.map((label) => this.#valueOf(values, label));
    return cut(this.#root, path);
  }

  /** Removes all metrics, for a caller that sets them all again. */
  reset(): void {
    this.#root = emptyBranch();
  }

  /** In the order of their label values. */
  members(): Iterable<Member<M>> {
    return membersOf(this.#root);
  }

  #valueOf(values: LabelValues<Label>, label: Label): string {
    // An inherited property with the name of a label, such as `constructor`, is not a string.
    const value: unknown = values[label];
    if (typeof value === 'string') return value;
    throw new InvariantError(`${this.name} needs a value for its label ${label}`);
  }

  #refuseUndeclared(values: LabelValues<Label>): void {
    const declared: readonly string[] = this.labels;
    for (const label in values) {
      if (!declared.includes(label)) {
        throw new InvariantError(`${this.name} has no label ${label}`);
      }
    }
  }

  #textOf(values: LabelValues<Label>): string {
    return this.labels.map((label) => `${label}="${escapeValue(values[label])}"`).join(',');
  }
}

function emptyBranch<M extends Metric>(): Branch<M> {
  return { branches: new Map(), member: null };
}

function* membersOf<M extends Metric>(branch: Branch<M>): Generator<Member<M>> {
  if (branch.member) yield branch.member;
  const inOrder = [...branch.branches].toSorted(([a], [b]) => (a < b ? -1 : 1));
  for (const [, next] of inOrder) yield* membersOf(next);
}

/** Removes the leaf of the path, and branches that become empty. */
function cut<M extends Metric>(branch: Branch<M>, path: readonly string[]): boolean {
  const [value, ...rest] = path;
  if (value === undefined) {
    const had = branch.member !== null;
    branch.member = null;
    return had;
  }
  const next = branch.branches.get(value);
  if (next === undefined || !cut(next, rest)) return false;
  if (next.branches.size === 0) branch.branches.delete(value);
  return true;
}

/** Both formats escape these three characters in values, and no others. */
function escapeValue(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}

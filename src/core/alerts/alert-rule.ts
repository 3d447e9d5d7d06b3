/** An alert rule after it was loaded: parsed, checked and compiled, with everything that its alerts need. */
import type { Program } from '../../cel/cel.ts';
import type { Settings } from './alert-machine.ts';
import type { Template } from './annotation-template.ts';
import type { RuleAction } from './rule-action.ts';
import type { AlertInput } from './rule-variables.ts';

/**
 * What a rule is evaluated for: each container, each pod or the node. The variables that its expression reads
 * decide which.
 */
export type SubjectKind = 'container' | 'pod' | 'node';

export interface AlertRule extends Settings {
  /** The same after a reload, if its file, group and name are the same. */
  readonly id: string;
  readonly alert: string;
  readonly group: string;
  /** The file that defines the rule; empty: it ships with podkeep. */
  readonly file: string;
  readonly severity: string;
  readonly subject: SubjectKind;
  /** The variables that the expression reads: only a change of one of them causes an evaluation. */
  readonly reads: ReadonlySet<AlertInput>;
  /** The variables that only its labels and annotations read. */
  readonly shows: ReadonlySet<AlertInput>;
  readonly condition: Program;
  readonly labels: ReadonlyMap<string, Template>;
  readonly annotations: ReadonlyMap<string, Template>;
  /** What is done when an alert starts to fire; at most one of each type. */
  readonly actions: readonly RuleAction[];
}

export function subjectOf(uses: ReadonlySet<string>): SubjectKind {
  if (uses.has('container')) return 'container';
  const ofPods = ['pod', 'containers', 'volumes', 'decisions'];
  return ofPods.some((name) => uses.has(name)) ? 'pod' : 'node';
}

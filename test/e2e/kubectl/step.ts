/**
 * One step of the script that is played against two servers: a line as one types it after `kubectl`,
 * and what may go with it. Steps share a namespace with those of their chapter, and nothing else.
 */

export interface Step {
  /** Words are split as a shell does; `$NAME` stands for what an earlier step saved. */
  readonly line: string;
  /** What it reads from standard input; `$NAME` is replaced here too. */
  readonly stdin?: string;
  /** The program that `kubectl edit` opens the object with. */
  readonly editor?: string;
  /** What is done by others happens in its own time: ask until the output matches. */
  readonly until?: RegExp;
  /** The name under which its output is remembered for later steps. */
  readonly save?: string;
  /** What of the output is compared; everything if not given. */
  readonly view?: View;
  /** A watch runs while these lines are run one after the other, each without a word of its own. */
  readonly during?: readonly string[];
}

/**
 * - `fields`    the tree that `explain` draws, without its prose, which everybody writes differently
 * - `json`      an object, whatever the order of its fields
 * - `set`       lines whose order is chance
 * - `code`      only how it ended
 */
export type View = 'all' | 'fields' | 'json' | 'set' | 'code';

export interface Chapter {
  readonly title: string;
  /** Made before the first step. */
  readonly namespace: string;
  readonly steps: readonly Step[];
}

export type StepOptions = Omit<Step, 'line'>;

/** A step as one line: `kubectl('get pods')`, `kubectl('apply -f -', { stdin: POD })`. */
export function kubectl(line: string, options: StepOptions = {}): Step {
  return { line, ...options };
}

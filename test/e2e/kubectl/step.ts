/**
 * One step of the script that is played against two servers: a command line of `kubectl`, and its
 * options. Steps share a namespace with those of their chapter, and nothing else.
 */

export interface Step {
  /** Words are split as a shell does; `$NAME` stands for what an earlier step saved. */
  readonly line: string;
  /** What it reads from standard input; `$NAME` is replaced here too. */
  readonly stdin?: string;
  /** The program that `kubectl edit` opens the object with. */
  readonly editor?: string;
  /** Controllers act in their own time: repeat until the output matches. */
  readonly until?: RegExp;
  /** The name under which its output is saved for later steps. */
  readonly save?: string;
  /** Which part of the output is compared; absent: all of it. */
  readonly view?: View;
  /** A watch runs while these lines are run one after the other; their output is not shown. */
  readonly during?: readonly string[];
}

/**
 * - `fields`    the tree that `explain` draws, without its prose, which differs between servers
 * - `json`      an object, whatever the order of its fields
 * - `set`       lines whose order is chance
 * - `code`      only the exit code
 */
export type View = 'all' | 'fields' | 'json' | 'set' | 'code';

export interface Chapter {
  readonly title: string;
  /** Created before the first step. */
  readonly namespace: string;
  readonly steps: readonly Step[];
}

export type StepOptions = Omit<Step, 'line'>;

/** A step as one line: `kubectl('get pods')`, `kubectl('apply -f -', { stdin: POD })`. */
export function kubectl(line: string, options: StepOptions = {}): Step {
  return { line, ...options };
}

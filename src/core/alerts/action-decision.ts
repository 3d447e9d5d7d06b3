/**
 * Decides whether an action of a rule runs when an alert starts to fire.
 *
 *     alert fires ──> acted on this subject within the window? ──yes──> repeated
 *                        └──no──> `max` runs within the window? ──yes──> rateLimited
 *                                    └──no──> run
 *
 * 1. In any window of `perMs`, an action runs at most `max` times on this node, however many alerts fire.
 * 2. An action runs at most once in a window for one subject. If an alert fires again after its action has
 *    run, the action itself may be the cause; this rule prevents an endless loop.
 * 3. A dry run and a run that fails count as runs: a dry run shows what would be done, and no more.
 *
 * Time is monotonic.
 */
export interface ActionLimit {
  readonly max: number;
  readonly perMs: number;
}

export interface ActionRun {
  readonly atMs: number;
  readonly subject: string;
}

/** The runs of one action within its window, oldest first. */
export type ActionRuns = readonly ActionRun[];

export type ActionPermission = 'run' | 'repeated' | 'rateLimited';

export interface ActionDecision {
  readonly result: ActionPermission;
  readonly runs: ActionRuns;
}

export function decideAction(
  before: ActionRuns,
  { atMs, subject }: ActionRun,
  { max, perMs }: ActionLimit,
): ActionDecision {
  const runs = before.filter((run) => run.atMs > atMs - perMs);
  if (runs.some((run) => run.subject === subject)) return { result: 'repeated', runs };
  if (runs.length >= max) return { result: 'rateLimited', runs };
  return { result: 'run', runs: [...runs, { atMs, subject }] };
}

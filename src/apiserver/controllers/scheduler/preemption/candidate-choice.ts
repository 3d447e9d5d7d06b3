/**
 * Chooses the node on which to preempt, by kube-scheduler's criteria in this order: fewest violated
 * PodDisruptionBudgets, lowest priority of the most important victim, lowest sum of priorities, fewest
 * victims, latest start of the most important victims.
 */
import { byImportance, compareStarts, type Candidate } from './victims.ts';

/** Makes every priority positive, so that more victims weigh more. */
const PRIORITY_OFFSET = 2 ** 31;

const RULES: readonly ((a: Candidate, b: Candidate) => number)[] = [
  (a, b) => a.violations - b.violations,
  (a, b) => highestPriority(a) - highestPriority(b),
  (a, b) => sumOfPriorities(a) - sumOfPriorities(b),
  (a, b) => a.victims.length - b.victims.length,
  (a, b) => -compareStarts(earliestStart(a), earliestStart(b)),
];

/** Among equal candidates the first. Undefined: there are no candidates. */
export function chooseCandidate(candidates: readonly Candidate[]): Candidate | undefined {
  const [first, ...others] = candidates;
  if (!first) return undefined;
  let best = first;
  for (const candidate of others) {
    if (isBetter(candidate, best)) best = candidate;
  }
  return best;
}

function isBetter(a: Candidate, b: Candidate): boolean {
  for (const rule of RULES) {
    const difference = rule(a, b);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

function highestPriority({ victims }: Candidate): number {
  return victims[0]?.priority ?? 0;
}

function sumOfPriorities({ victims }: Candidate): number {
  return victims.reduce((sum, { priority }) => sum + priority + PRIORITY_OFFSET, 0);
}

/** The earliest start among the victims with the highest priority. */
function earliestStart(candidate: Candidate): string {
  const highest = highestPriority(candidate);
  const top = candidate.victims.filter(({ priority }) => priority === highest);
  return top.toSorted(byImportance)[0]?.startTime ?? '';
}

/** Normalizes scores to the range 0 to 100, as kube-scheduler does by default. */
export const SCORE_MAX = 100;

/** `isReversed`: the highest raw score becomes the lowest result. */
export function normalizeScores(scores: readonly number[], isReversed: boolean): readonly number[] {
  let highest = 0;
  for (const score of scores) highest = Math.max(highest, score);
  if (highest === 0) return isReversed ? scores.map(() => SCORE_MAX) : scores;
  return scores.map((score) => {
    const share = Math.floor((SCORE_MAX * score) / highest);
    return isReversed ? SCORE_MAX - share : share;
  });
}

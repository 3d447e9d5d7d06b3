/** Scores nodes by PreferNoSchedule taints and by preferred node affinity. */
import { readText } from '../../../../api/validation/json-reading.ts';
import type { NodeView } from '../cluster.ts';
import { readNodePreference } from '../node-affinity.ts';
import type { PodView } from '../pod-view.ts';
import { countUnwantedTaints } from '../taints.ts';
import { normalizeScores } from './normalize-scores.ts';
import type { Scores } from './score-plugins.ts';

/** The fewer PreferNoSchedule taints the pod does not tolerate, the better. */
export function taintScores({ tolerations }: PodView, nodes: readonly NodeView[]): Scores {
  const relevant = tolerations.filter(({ effect }) =>
    ['', 'PreferNoSchedule'].includes(readText(effect)),
  );
  const counts = nodes.map(({ taints }) => countUnwantedTaints(relevant, taints));
  return normalizeScores(counts, true);
}

export function nodeAffinityScores({ object }: PodView, nodes: readonly NodeView[]): Scores {
  const preference = readNodePreference(object);
  return preference && normalizeScores(nodes.map(preference), false);
}

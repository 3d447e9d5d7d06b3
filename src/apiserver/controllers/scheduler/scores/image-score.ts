/**
 * Score plugin ImageLocality: sums the sizes of the pod's images that the node already has, each scaled by
 * the fraction of nodes that have it, so that one node with a rare image does not attract all pods.
 */
import { objectsAt, textAt } from '../../../objects/field-path.ts';
import type { NodeView } from '../cluster.ts';
import type { PodView } from '../pod-view.ts';
import { SCORE_MAX } from './normalize-scores.ts';
import type { ScoreDeps, Scores } from './score-plugins.ts';

const MIB = 1024 * 1024;
const BYTES_MIN = 23 * MIB;
const BYTES_MAX_PER_CONTAINER = 1000 * MIB;

export function imageScores(
  { object }: PodView,
  nodes: readonly NodeView[],
  { cluster }: ScoreDeps,
): Scores {
  const containers = [
    ...objectsAt(object, 'spec.initContainers'),
    ...objectsAt(object, 'spec.containers'),
  ];
  const volumes = objectsAt(object, 'spec.volumes').map((one) => textAt(one, 'image.reference'));
  const names = [...containers.map((one) => textAt(one, 'image')), ...volumes]
    .filter((name) => name !== '')
    .map(withTag);
  const all = cluster.nodes().length;
  const bytesMax = BYTES_MAX_PER_CONTAINER * containers.length;
  return nodes.map(({ images }) => {
    let sum = 0;
    for (const name of names) {
      const image = images.has(name) ? cluster.images.find(name) : undefined;
      if (image) sum += Math.trunc(image.bytes * (image.nodes / all));
    }
    const bytes = Math.min(Math.max(sum, BYTES_MIN), bytesMax);
    return Math.trunc((SCORE_MAX * (bytes - BYTES_MIN)) / (bytesMax - BYTES_MIN));
  });
}

/** Nodes report images with tags; an image without a tag means `latest`. */
function withTag(name: string): string {
  return name.lastIndexOf(':') <= name.lastIndexOf('/') ? `${name}:latest` : name;
}

/** Lists the images in a node's status: the largest ones, because they matter most to the scheduler. */
import type { JsonObject } from '../../lib/json.ts';

export interface NodeImage {
  readonly ref: string;
  readonly names: readonly string[];
  readonly sizeBytes: number;
}

const NAMES_MAX = 5;

/** `max` of -1: all of them. */
export function nodeImages(images: readonly NodeImage[], max: number): readonly JsonObject[] {
  const sorted = images.toSorted((a, b) => b.sizeBytes - a.sizeBytes || (a.ref < b.ref ? 1 : -1));
  const shown = max < 0 ? sorted : sorted.slice(0, max);
  return shown.map(({ names, sizeBytes }) => ({ names: namesShown(names), sizeBytes }));
}

/** Names with a digest come first: they identify the image exactly. */
function namesShown(names: readonly string[]): readonly string[] {
  const isDigest = (name: string): boolean => name.includes('@');
  const [digests, tags] = [names.filter(isDigest), names.filter((name) => !isDigest(name))];
  return [...digests, ...tags].slice(0, NAMES_MAX);
}

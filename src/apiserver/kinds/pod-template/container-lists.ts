/** Every container of a pod with the path to it, in the order in which the API visits them. */
import type { JsonObject } from '../../../lib/json.ts';
import { readObjects } from '../validation/json-reading.ts';

export interface PlacedContainer {
  readonly container: JsonObject;
  readonly path: string;
}

const LISTS = ['initContainers', 'containers', 'ephemeralContainers'];

export function allContainers(spec: JsonObject, path = 'spec'): readonly PlacedContainer[] {
  return LISTS.flatMap((list) =>
    readObjects(spec[list]).map((container, index) => ({
      container,
      path: `${path}.${list}[${index}]`,
    })),
  );
}

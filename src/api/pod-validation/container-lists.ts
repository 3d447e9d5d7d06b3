/** Lists every container of a pod with its path, in the order in which kube-apiserver visits them. */
import type { JsonObject } from '../../lib/json.ts';
import { readObjects } from '../validation/json-reading.ts';

export interface ContainerWithPath {
  readonly container: JsonObject;
  readonly path: string;
}

const LISTS = ['initContainers', 'containers', 'ephemeralContainers'];

export function allContainers(spec: JsonObject, path = 'spec'): readonly ContainerWithPath[] {
  return LISTS.flatMap((list) =>
    readObjects(spec[list]).map((container, index) => ({
      container,
      path: `${path}.${list}[${index}]`,
    })),
  );
}

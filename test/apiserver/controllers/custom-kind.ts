/** A kind that is not built in, as a CustomResourceDefinition would add it. */
import type { KindDefinition } from '../../../src/apiserver/objects/kind.ts';

export const widgets: KindDefinition = {
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  resource: 'widgets',
  singular: 'widget',
  namespaced: true,
  rules: {},
  columns: [],
};

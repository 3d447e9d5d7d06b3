/** A kind that nobody built in, as a definition of a custom resource would bring it. */
import type { KindDefinition } from '../../../src/apiserver/kind.ts';

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

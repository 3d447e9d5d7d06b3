/** Reads the labels of any object in the form that selectors need. */
import type { Labels } from '../../api/values/label-selector.ts';
import type { JsonObject } from '../../lib/json.ts';
import { readTextMap } from '../../api/validation/json-reading.ts';
import { metadataOf } from './metadata.ts';

export function labelsOf(object: JsonObject): Labels {
  return Object.fromEntries(readTextMap(metadataOf(object)['labels']));
}

/** The labels of any object, as selectors want them. */
import type { Labels } from '../../api/label-selector.ts';
import type { JsonObject } from '../../lib/json.ts';
import { readTextMap } from '../kinds/validation/json-reading.ts';
import { metadataOf } from '../metadata.ts';

export function labelsOf(object: JsonObject): Labels {
  return Object.fromEntries(readTextMap(metadataOf(object)['labels']));
}

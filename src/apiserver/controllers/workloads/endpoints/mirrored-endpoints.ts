/**
 * Decides which Endpoints are mirrored into EndpointSlices: all except those with the label skip-mirror and
 * leader election records.
 */
import { readStruct } from '../../../../api/validation/json-reading.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import { labelsOf } from '../../../objects/object-labels.ts';
import { metadataOf } from '../../../objects/metadata.ts';

const SKIP_MIRROR = 'endpointslice.kubernetes.io/skip-mirror';
const LEADER = 'control-plane.alpha.kubernetes.io/leader';

export function isMirrored(object: JsonObject): boolean {
  if (labelsOf(object)[SKIP_MIRROR] === 'true') return false;
  return !Object.hasOwn(readStruct(metadataOf(object)['annotations']), LEADER);
}

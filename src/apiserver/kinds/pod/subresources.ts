/**
 * Lists the subresources that change parts of a pod which an ordinary update cannot change, with their rules.
 */
import type { JsonObject } from '../../../lib/json.ts';
import type { FieldError } from '../../../api/validation/field-error.ts';
import { prepareEphemeralUpdate, validateEphemeralUpdate } from './update/ephemeral-containers.ts';
import { validateResize } from './update/resize-validation.ts';
import { prepareResize } from './update/resize.ts';

/** How an update through a subresource is prepared and validated. */
export interface PodUpdateRules {
  readonly prepare: (object: JsonObject, old: JsonObject) => JsonObject;
  readonly validate: (object: JsonObject, old: JsonObject) => readonly FieldError[];
}

/** For bindings, which set the pod's node: the bind action has validated them. */
const asGiven: PodUpdateRules = { prepare: (object) => object, validate: () => [] };

export const POD_SUBRESOURCES: ReadonlyMap<string, PodUpdateRules> = new Map([
  ['binding', asGiven],
  ['ephemeralcontainers', { prepare: prepareEphemeralUpdate, validate: validateEphemeralUpdate }],
  ['resize', { prepare: prepareResize, validate: validateResize }],
]);

/** The subresources that change a part of a pod which an ordinary update may not touch. */
import type { JsonObject } from '../../../lib/json.ts';
import type { FieldError } from '../../field-error.ts';
import { prepareEphemeralUpdate, validateEphemeralUpdate } from './ephemeral-containers.ts';
import { validateResize } from './resize-validation.ts';
import { prepareResize } from './resize.ts';

/** How an update through a subresource is prepared and judged. */
export interface UpdateRules {
  readonly prepare: (object: JsonObject, old: JsonObject) => JsonObject;
  readonly validate: (object: JsonObject, old: JsonObject) => readonly FieldError[];
}

/** A binding gives the pod its node; whoever binds has checked what there is to check. */
const asGiven: UpdateRules = { prepare: (object) => object, validate: () => [] };

export const POD_SUBRESOURCES: ReadonlyMap<string, UpdateRules> = new Map([
  ['binding', asGiven],
  ['ephemeralcontainers', { prepare: prepareEphemeralUpdate, validate: validateEphemeralUpdate }],
  ['resize', { prepare: prepareResize, validate: validateResize }],
]);

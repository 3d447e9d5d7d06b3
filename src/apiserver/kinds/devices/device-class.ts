/** Defines the kind DeviceClass: its validation. */
import type { JsonObject } from '../../../lib/json.ts';
import { objectsAt, valueAt } from '../../objects/field-path.ts';
import { startGenerations } from '../lifecycle.ts';
import { plainKind } from '../../objects/plain-kind.ts';
import * as resourceNames from '../../../api/pod-validation/containers/resource-names.ts';
import { invalidField, type FieldErrors } from '../../../api/validation/field-errors.ts';
import { isGiven, readText } from '../../../api/validation/json-reading.ts';
import { validateItems } from './bounded-lists.ts';
import { SETTINGS_MAX, validateSelectors, validateSettings } from './device-settings.ts';

const EXTENDED_NAME = 'spec.extendedResourceName';

export const deviceClasses = plainKind('resource.k8s.io/v1', {
  kind: 'DeviceClass',
  resource: 'deviceclasses',
  rules: {
    prepareForCreate: startGenerations,
    validate: (object) => [...checkSpec(object)],
    validateUpdate: (object) => [...checkSpec(object)],
  },
});

function* checkSpec(object: JsonObject): FieldErrors {
  yield* validateSelectors(valueAt(object, 'spec.selectors'), 'spec.selectors');
  const settings = objectsAt(object, 'spec.config');
  yield* validateItems(settings, SETTINGS_MAX, 'spec.config', validateSettings);
  const name = valueAt(object, EXTENDED_NAME);
  if (!isGiven(name) || resourceNames.isExtended(readText(name))) return;
  yield invalidField(EXTENDED_NAME, name, 'must be a valid extended resource name');
}

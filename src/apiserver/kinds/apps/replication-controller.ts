/**
 * Defines the kind ReplicationController, the predecessor of ReplicaSet, whose selector is a plain map of
 * labels.
 */
import type { JsonObject } from '../../../lib/json.ts';
import { metadataOf, withMetadata } from '../../objects/metadata.ts';
import { scaleSubresource } from '../../registry/scale.ts';
import { containerColumns, printLabels, textColumn, wide } from '../../objects/columns.ts';
import {
  changeGivenAt,
  changeStructAt,
  numberAt,
  structAt,
  valueAt,
} from '../../objects/field-path.ts';
import { startWithoutStatus } from '../lifecycle.ts';
import { validateNotBelowZero } from '../number-rules.ts';
import { AGE, NAME, plainKind, statusSubresource } from '../../objects/plain-kind.ts';
import { templateWarnings } from '../pod/warnings/template-warnings.ts';
import { defaultPodTemplate, validateEndless, validatePodTemplate } from '../pod-template-spec.ts';
import { REPLICA_COLUMNS, validateReplicaStatus } from './replica-set.ts';
import { replicaScaling } from './replica-scaling.ts';
import { invalidField, required, type FieldErrors } from '../../../api/validation/field-errors.ts';
import { fillAbsent, withField } from '../../../api/validation/json-changes.ts';
import {
  readEntries,
  readObject,
  readText,
  readTextMap,
} from '../../../api/validation/json-reading.ts';

const TEMPLATE = 'spec.template';

export const replicationControllers = plainKind('v1', {
  kind: 'ReplicationController',
  resource: 'replicationcontrollers',
  shortNames: ['rc'],
  categories: ['all'],
  subresources: [
    scaleSubresource(replicaScaling(selectorOf)),
    statusSubresource('ReplicationController'),
  ],
  rules: {
    orphansByDefault: true,
    ...templateWarnings('spec.template', true),
    applyDefaults,
    prepareForCreate: startWithoutStatus,
    validate: (object) => [...checkSpec(object)],
    validateUpdate: (object, old) => [...checkSpec(object, old)],
    validateStatusUpdate: validateReplicaStatus,
    selectableFields: (object) => ({
      'status.replicas': String(numberAt(object, 'status.replicas')),
    }),
  },
  columns: [
    NAME,
    ...REPLICA_COLUMNS,
    AGE,
    ...containerColumns('spec.template.spec.containers'),
    wide(
      textColumn('Selector', 'The labels by which it knows its pods.', (object) =>
        printLabels(valueAt(object, 'spec.selector')),
      ),
    ),
  ],
});

/** An absent selector defaults to the labels of the template. */
function applyDefaults(object: JsonObject): JsonObject {
  const filled = changeStructAt(object, 'spec', (spec) => fillAbsent(spec, { replicas: 1 }));
  const completed = changeGivenAt(filled, TEMPLATE, defaultPodTemplate);
  const labels = readObject(valueAt(completed, `${TEMPLATE}.metadata.labels`));
  if (!labels) return completed;
  const selecting = changeStructAt(completed, 'spec', (spec) =>
    readEntries(spec['selector']).length > 0 ? spec : withField(spec, 'selector', labels),
  );
  if (readEntries(metadataOf(object)['labels']).length > 0) return selecting;
  return withMetadata(selecting, { labels });
}

function selectorOf(object: JsonObject): string {
  const pairs = readEntries(valueAt(object, 'spec.selector'));
  return pairs.map(([key, value]) => `${key}=${readText(value)}`).join(',');
}

function* checkSpec(object: JsonObject, old?: JsonObject): FieldErrors {
  const selector = readTextMap(valueAt(object, 'spec.selector'));
  yield* validateNotBelowZero(object, ['spec.minReadySeconds']);
  if (selector.size === 0) yield required('spec.selector');
  if (typeof valueAt(object, 'spec.replicas') !== 'number') yield required('spec.replicas');
  yield* validateNotBelowZero(object, ['spec.replicas']);
  const template = readObject(valueAt(object, TEMPLATE));
  if (!template) {
    yield required(TEMPLATE);
    return;
  }
  const labels = readTextMap(valueAt(template, 'metadata.labels'));
  if ([...selector].some(([key, value]) => labels.get(key) !== value)) {
    const shown = valueAt(template, 'metadata.labels') ?? null;
    const field = `${TEMPLATE}.metadata.labels`;
    yield invalidField(field, shown, '`selector` does not match template `labels`');
  }
  yield* validatePodTemplate(template, TEMPLATE, old && structAt(old, TEMPLATE));
  yield* validateEndless(template, TEMPLATE, 'ReplicationController');
}

/** Defines the kind StatefulSet: its defaults, validation and columns. */
import { checkDns1123Label } from '../../../api/validation-names.ts';
import { jsonEqual } from '../../../api/values/json-equal.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { containerColumns, textColumn } from '../../objects/columns.ts';
import { changeStructAt, numberAt, objectsAt, structAt, textAt } from '../../objects/field-path.ts';
import { startWithoutStatus } from '../lifecycle.ts';
import { validateAtMost, validateNotBelowZero, validateNotDecremented } from '../number-rules.ts';
import { AGE, NAME, plainKind, statusSubresource } from '../../objects/plain-kind.ts';
import { templateWarnings } from '../pod/warnings/template-warnings.ts';
import { defaultClaimSpec } from '../storage/persistent-volume-claim-defaults.ts';
import { defaultPodTemplate, validateEndless, validatePodTemplate } from '../pod-template-spec.ts';
import { validateClaimTemplate } from '../../../api/pod-validation/volumes/claim-template.ts';
import { replicasScale } from './replica-scaling.ts';
import { validateTemplateLabels, validateWorkloadSelector } from '../selector-rules.ts';
import { checkStatefulStrategy, defaultStatefulStrategy } from './stateful-set-strategy.ts';
import {
  forbiddenField,
  invalidFor,
  unsupported,
  type FieldErrors,
} from '../../../api/validation/field-errors.ts';
import {
  changeObjects,
  fillAbsent,
  fillEmpty,
  withField,
  withFieldOf,
  withoutField,
} from '../../../api/validation/json-changes.ts';

const RETENTIONS = ['Retain', 'Delete'];
/** The fields that an update may change. The others determine the names of the pods and of their storage. */
const CHANGEABLE = [
  'replicas',
  'template',
  'updateStrategy',
  'minReadySeconds',
  'ordinals',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
];
const PARTS = ['ready', 'current', 'updated', 'available'].map((name) => `status.${name}Replicas`);

export const statefulSets = plainKind('apps/v1', {
  kind: 'StatefulSet',
  resource: 'statefulsets',
  shortNames: ['sts'],
  categories: ['all'],
  subresources: [replicasScale, statusSubresource('StatefulSet')],
  rules: {
    ...templateWarnings('spec.template', false),
    applyDefaults: (object) => changeStructAt(object, 'spec', defaultSpec),
    prepareForCreate: startWithoutStatus,
    checkName: checkDns1123Label,
    validate: (object) => [...checkSpec(object), ...checkNew(object)],
    validateUpdate: (object, old) => [...checkSpec(object, old), ...checkChanges(object, old)],
    validateStatusUpdate: (object, old) => [
      ...checkStatus(object),
      ...validateNotDecremented(object, old, 'status.collisionCount'),
    ],
  },
  columns: [
    NAME,
    textColumn('Ready', 'How many pods are ready, of how many there should be.', (object) => {
      return `${numberAt(object, 'status.readyReplicas')}/${numberAt(object, 'spec.replicas')}`;
    }),
    AGE,
    ...containerColumns('spec.template.spec.containers'),
  ],
});

function defaultSpec(spec: JsonObject): JsonObject {
  let next = fillEmpty(spec, { podManagementPolicy: 'OrderedReady' });
  next = fillAbsent(next, { replicas: 1, revisionHistoryLimit: 10 });
  next = changeStructAt(next, 'updateStrategy', defaultStatefulStrategy);
  next = changeStructAt(next, 'persistentVolumeClaimRetentionPolicy', (policy) =>
    fillEmpty(policy, { whenDeleted: 'Retain', whenScaled: 'Retain' }),
  );
  next = changeObjects(next, 'volumeClaimTemplates', defaultClaim);
  return changeStructAt(next, 'template', defaultPodTemplate);
}

/** A claim in a template is a complete object, with apiVersion, kind and status. */
function defaultClaim(claim: JsonObject): JsonObject {
  const named = fillEmpty(claim, { kind: 'PersistentVolumeClaim', apiVersion: 'v1' });
  const pending = changeStructAt(named, 'status', (status) =>
    fillEmpty(status, { phase: 'Pending' }),
  );
  return changeStructAt(pending, 'spec', defaultClaimSpec);
}

function* checkSpec(object: JsonObject, old?: JsonObject): FieldErrors {
  const spec = structAt(object, 'spec');
  yield* checkStatefulStrategy(spec);
  for (const when of ['whenDeleted', 'whenScaled'] as const) {
    const field = `persistentVolumeClaimRetentionPolicy.${when}`;
    const policy = textAt(spec, field);
    if (!RETENTIONS.includes(policy)) yield unsupported(`spec.${field}`, policy, RETENTIONS);
  }
  yield* validateNotBelowZero(object, [
    'spec.replicas',
    'spec.minReadySeconds',
    'spec.ordinals.start',
  ]);
  yield* validateWorkloadSelector(object, 'statefulset');
  yield* validateTemplateLabels(object);
  const template = withClaimedVolumes(object);
  yield* validatePodTemplate(template, 'spec.template', old && withClaimedVolumes(old));
  yield* validateEndless(template, 'spec.template', 'StatefulSet');
}

function* checkNew(object: JsonObject): FieldErrors {
  for (const [index, claim] of objectsAt(object, 'spec.volumeClaimTemplates').entries()) {
    const spec = structAt(claim, 'spec');
    yield* validateClaimTemplate({ spec }, `spec.volumeClaimTemplates[${index}]`);
  }
  const service = textAt(object, 'spec.serviceName');
  if (service !== '') {
    yield* invalidFor('spec.serviceName', service, checkDns1123Label(service));
  }
}

function* checkChanges(object: JsonObject, old: JsonObject): FieldErrors {
  const before = structAt(old, 'spec');
  const kept = CHANGEABLE.reduce(
    (spec, name) => withFieldOf(spec, name, before),
    structAt(object, 'spec'),
  );
  if (jsonEqual(kept, before)) return;
  const detail =
    "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', " +
    "'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and " +
    "'minReadySeconds' are forbidden";
  yield forbiddenField('spec', detail);
}

function* checkStatus(object: JsonObject): FieldErrors {
  yield* validateNotBelowZero(object, ['status.replicas', ...PARTS, 'status.observedGeneration']);
  yield* validateNotBelowZero(object, ['status.collisionCount']);
  for (const part of PARTS) yield* validateAtMost(object, part, 'status.replicas');
  yield* validateAtMost(object, 'status.availableReplicas', 'status.readyReplicas');
}

/**
 * The template in the form of its pods: with a volume for each claim, and without hostname and subdomain,
 * which the controller sets.
 */
function withClaimedVolumes(object: JsonObject): JsonObject {
  const claims = objectsAt(object, 'spec.volumeClaimTemplates').map((claim) => {
    const claimName = textAt(claim, 'metadata.name');
    return { name: claimName, persistentVolumeClaim: { claimName } };
  });
  const claimed = new Set(claims.map(({ name }) => name));
  return changeStructAt(structAt(object, 'spec.template'), 'spec', (spec) => {
    const others = objectsAt(spec, 'volumes').filter((one) => !claimed.has(textAt(one, 'name')));
    const bare = withoutField(withoutField(spec, 'hostname'), 'subdomain');
    return claims.length === 0 ? bare : withField(bare, 'volumes', [...claims, ...others]);
  });
}

/**
 * Defines the kind Namespace: its validation, deletion and columns.
 *
 *     Active ──delete──> Terminating ──spec.finalizers emptied (finalize)──> gone
 *
 * The namespace controller deletes the content, then removes `kubernetes` from the finalizers. The server
 * does neither: a namespace that is being deleted exists until both are done.
 */
import { checkDns1123Label, checkLabelKey } from '../../../api/validation-names.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { FieldError } from '../../../api/validation/field-error.ts';
import type { Verb } from '../../objects/kind.ts';
import { metadataOf, nameOf, withMetadata } from '../../objects/metadata.ts';
import { textColumn } from '../../objects/columns.ts';
import { changeStructAt, structAt, textAt, valueAt } from '../../objects/field-path.ts';
import { withStatus } from '../lifecycle.ts';
import { AGE, NAME, plainKind, statusSubresource } from '../../objects/plain-kind.ts';
import {
  invalidField,
  invalidFor,
  type FieldErrors,
} from '../../../api/validation/field-errors.ts';
import { withField, withFieldOf } from '../../../api/validation/json-changes.ts';
import { readStruct, readTexts } from '../../../api/validation/json-reading.ts';

const KUBERNETES = 'kubernetes';
const NAME_LABEL = 'kubernetes.io/metadata.name';
/** Namespaces that other components expect to exist. */
const LASTING: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public']);
const STANDARD_FINALIZERS: ReadonlySet<string> = new Set([
  KUBERNETES,
  'orphan',
  'foregroundDeletion',
]);
const VERBS: readonly Verb[] = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'];

export const namespaces = plainKind('v1', {
  kind: 'Namespace',
  resource: 'namespaces',
  shortNames: ['ns'],
  verbs: VERBS,
  subresources: [
    {
      name: 'finalize',
      kind: 'Namespace',
      verbs: ['update'],
      prepareForUpdate: (object, old) => withFieldOf(object, 'status', old),
      validateUpdate: (object) => [...checkFinalizers(object, true)],
    },
    statusSubresource('Namespace'),
  ],
  rules: {
    applyDefaults: withNameLabel,
    prepareForCreate: (object) =>
      withNameLabel(withStatus(holdByKubernetes(object), { phase: 'Active' })),
    prepareForUpdate,
    validate: (object) => [...checkFinalizers(object, false)],
    validateUpdate: (object) => [...checkFinalizers(object, false)],
    validateStatusUpdate,
    selectableFields: (object) => ({ 'status.phase': textAt(object, 'status.phase') }),
    checkName: checkDns1123Label,
    refuseDeletion: (object) =>
      LASTING.has(nameOf(object)) ? 'this namespace may not be deleted' : undefined,
    prepareForDeletion: (object) =>
      changeStructAt(object, 'status', (status) => withField(status, 'phase', 'Terminating')),
    isHeld: (object) => finalizersOf(object).length > 0,
  },
  columns: [
    NAME,
    textColumn('Status', 'Active, or Terminating.', (object) => textAt(object, 'status.phase')),
    AGE,
  ],
});

/** Adds the label with the name, so that selectors can select a namespace by its name. */
function withNameLabel(object: JsonObject): JsonObject {
  const name = nameOf(object);
  const labels = readStruct(metadataOf(object)['labels']);
  if (name === '' || labels[NAME_LABEL] === name) return object;
  return withMetadata(object, { labels: { ...labels, [NAME_LABEL]: name } });
}

function holdByKubernetes(object: JsonObject): JsonObject {
  const finalizers = finalizersOf(object);
  if (finalizers.includes(KUBERNETES)) return object;
  return changeStructAt(object, 'spec', (spec) =>
    withField(spec, 'finalizers', [...finalizers, KUBERNETES]),
  );
}

/** Only the subresource finalize removes finalizers. */
function prepareForUpdate(object: JsonObject, old: JsonObject): JsonObject {
  const kept = changeStructAt(object, 'spec', (spec) =>
    withFieldOf(spec, 'finalizers', structAt(old, 'spec')),
  );
  return withFieldOf(kept, 'status', old);
}

function* checkFinalizers(object: JsonObject, isIndexed: boolean): FieldErrors {
  for (const [index, finalizer] of finalizersOf(object).entries()) {
    const field = isIndexed ? `spec.finalizers[${index}]` : 'spec.finalizers';
    yield* invalidFor(field, finalizer, checkLabelKey(finalizer));
    if (!finalizer.includes('/') && !STANDARD_FINALIZERS.has(finalizer)) {
      const detail = 'name is neither a standard finalizer name nor is it fully qualified';
      yield invalidField(field, finalizer, detail);
    }
  }
}

function validateStatusUpdate(object: JsonObject): readonly FieldError[] {
  const phase = textAt(object, 'status.phase');
  const isDeleted = metadataOf(object)['deletionTimestamp'] !== undefined;
  const expected = isDeleted ? 'Terminating' : 'Active';
  if (phase === expected) return [];
  const detail = `may only be '${expected}' if \`deletionTimestamp\` is ${isDeleted ? 'not ' : ''}empty`;
  return [invalidField('status.Phase', phase, detail)];
}

function finalizersOf(object: JsonObject): readonly string[] {
  return readTexts(valueAt(object, 'spec.finalizers'));
}

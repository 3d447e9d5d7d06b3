/**
 * Admission plugins DefaultStorageClass and DefaultIngressClass: a new PersistentVolumeClaim or Ingress that
 * names no class gets the default one. If several classes are marked as default the newest wins, so that an
 * administrator can replace the default without a gap.
 */
import { isJsonObject, type JsonObject } from '../../../lib/json.ts';
import type { ObjectStore } from '../../../ports/api/object-store.ts';
import { isGiven, readTextMap } from '../../../api/validation/json-reading.ts';
import { ingresses } from '../../kinds/networking/ingress.ts';
import { ingressClasses } from '../../kinds/networking/ingress-class.ts';
import { persistentVolumeClaims } from '../../kinds/storage/persistent-volume-claim.ts';
import { storageClasses } from '../../kinds/storage/storage-class.ts';
import { changeStructAt, structAt } from '../../objects/field-path.ts';
import type { KindDefinition } from '../../objects/kind.ts';
import { metadataOf, nameOf, textOf } from '../../objects/metadata.ts';
import type { Admission, AdmissionRequest } from '../../registry/admission.ts';
import { prefixOf } from '../../registry/registry.ts';

interface ClassedKind {
  readonly definition: KindDefinition;
  readonly classes: KindDefinition;
  /** The field of the spec that names the class. */
  readonly field: string;
  /** The deprecated annotation that names the class. An object with it is not changed. */
  readonly annotation: string;
  /** The annotations that mark a class as the default, with the value `true`. */
  readonly marks: readonly string[];
}

const CLAIMS: ClassedKind = {
  definition: persistentVolumeClaims,
  classes: storageClasses,
  field: 'storageClassName',
  annotation: 'volume.beta.kubernetes.io/storage-class',
  marks: [
    'storageclass.kubernetes.io/is-default-class',
    'storageclass.beta.kubernetes.io/is-default-class',
  ],
};

const INGRESSES: ClassedKind = {
  definition: ingresses,
  classes: ingressClasses,
  field: 'ingressClassName',
  annotation: 'kubernetes.io/ingress.class',
  marks: ['ingressclass.kubernetes.io/is-default-class'],
};

export function defaultStorageClass(store: ObjectStore): Admission {
  return defaultClassFor(CLAIMS, store);
}

export function defaultIngressClass(store: ObjectStore): Admission {
  return defaultClassFor(INGRESSES, store);
}

/** Of StorageClasses. Undefined: none is the default. */
export function nameOfDefaultClass(store: ObjectStore): string | undefined {
  return defaultOf(CLAIMS, store);
}

function defaultClassFor(classed: ClassedKind, store: ObjectStore): Admission {
  return {
    admit(request) {
      const { object } = request;
      if (!isNew(request, classed) || namesClass(object, classed)) return object;
      const name = defaultOf(classed, store);
      if (name === undefined) return object;
      return changeStructAt(object, 'spec', (spec) => ({ ...spec, [classed.field]: name }));
    },
  };
}

function defaultOf({ classes, marks }: ClassedKind, store: ObjectStore): string | undefined {
  const all = store.list(prefixOf(classes, '')).objects.map(({ value }) => value);
  return newestDefault(all, marks);
}

function isNew(request: AdmissionRequest, { definition: wanted }: ClassedKind): boolean {
  const { verb, subresource, definition } = request;
  const isOfKind = definition.group === wanted.group && definition.kind === wanted.kind;
  return verb === 'create' && subresource === null && isOfKind;
}

/** An empty class name counts as named: the client wants no class. */
function namesClass(object: JsonObject, { field, annotation }: ClassedKind): boolean {
  const { annotations } = metadataOf(object);
  if (isJsonObject(annotations) && Object.hasOwn(annotations, annotation)) return true;
  return isGiven(structAt(object, 'spec')[field]);
}

/** The name of the default class; of two that are equally new, the first by name. */
export function newestDefault(
  classes: readonly JsonObject[],
  marks: readonly string[],
): string | undefined {
  const found = classes
    .filter((one) => {
      const annotations = readTextMap(metadataOf(one)['annotations']);
      return marks.some((mark) => annotations.get(mark) === 'true');
    })
    .map((one) => ({ name: nameOf(one), since: textOf(metadataOf(one)['creationTimestamp']) }))
    .toSorted((a, b) =>
      a.since === b.since ? (a.name < b.name ? -1 : 1) : a.since > b.since ? -1 : 1,
    );
  return found[0]?.name;
}

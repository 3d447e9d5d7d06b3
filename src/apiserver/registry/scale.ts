/**
 * Implements the scale subresource: the same small object (autoscaling/v1 Scale) for every kind with
 * replicas, so that a client can scale without knowing the kind.
 *
 *     deployment ──read──> Scale { spec.replicas, status.replicas, status.selector }
 *     deployment <──write── Scale with another spec.replicas
 *
 * A Scale is never stored. It has the name, UID and resourceVersion of its object, so an outdated Scale is
 * refused just as an outdated Deployment is.
 */
import { kindOf } from '../../api/schema/schema.ts';
import { assert } from '../../lib/assert.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { FieldError } from '../../api/validation/field-error.ts';
import type { KindDefinition, Subresource, View } from '../objects/kind.ts';
import { AGE, NAME } from '../objects/plain-kind.ts';
import { metadataOf, nameOf, textOf, withMetadata } from '../objects/metadata.ts';
import { conflict, invalid } from '../objects/status.ts';

/** Which fields of a kind the Scale shows. */
export interface Scaling {
  readonly replicas: (object: JsonObject) => number;
  readonly observedReplicas: (object: JsonObject) => number;
  /** The selector of its pods as text. Empty: there is none. */
  readonly selector: (object: JsonObject) => string;
  readonly withReplicas: (object: JsonObject, replicas: number) => JsonObject;
  /** The field of the replicas, as a FieldsV1 path. Absent: spec.replicas. */
  readonly replicasPath?: readonly string[];
  /** Throws a StatusError if the object has no Scale to read, although writing one is allowed. */
  readonly checkRead?: (object: JsonObject) => void;
}

/** A view of an object that may be written before it can be read. */
export interface ScaleView extends View {
  readonly checkRead: (object: JsonObject) => void;
}

const SCALE_FIELDS = ['name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp'] as const;

export function scaleSubresource(scaling: Scaling): Subresource {
  const view: ScaleView = {
    definition: scales,
    read: (object) => readScale(object, scaling),
    write: (object, scale) => writeScale(object, scale, scaling),
    checkRead: (object) => scaling.checkRead?.(object),
    replicasPath: scaling.replicasPath ?? ['f:spec', 'f:replicas'],
  };
  const verbs = ['get', 'patch', 'update'] as const;
  return { name: 'scale', group: 'autoscaling', version: 'v1', kind: 'Scale', verbs, view };
}

function readScale(object: JsonObject, scaling: Scaling): JsonObject {
  const metadata = metadataOf(object);
  const shown = SCALE_FIELDS.flatMap((name) => {
    const value = metadata[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const replicas = scaling.replicas(object);
  const selector = scaling.selector(object);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: Object.fromEntries(shown),
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: scaling.observedReplicas(object), ...(selector !== '' && { selector }) },
  };
}

function writeScale(object: JsonObject, scale: JsonObject, scaling: Scaling): JsonObject {
  const name = nameOf(object);
  const { resourceVersion, uid } = metadataOf(scale);
  checkUid(object, textOf(uid));
  const replicas = replicasOf(scale);
  const errors = validateScale(scale, name);
  if (errors.length > 0) throw invalid(scales, name, errors);
  // The resourceVersion of the Scale decides whether the write conflicts; without one it never does.
  const version = textOf(resourceVersion);
  const versioned = version === '' ? object : withMetadata(object, { resourceVersion: version });
  return scaling.withReplicas(versioned, replicas);
}

function validateScale(scale: JsonObject, name: string): readonly FieldError[] {
  const replicas = replicasOf(scale);
  const given = nameOf(scale);
  return [
    ...(given === '' || given === name
      ? []
      : [
          {
            type: 'Invalid' as const,
            field: 'metadata.name',
            value: given,
            detail: 'field is immutable',
          },
        ]),
    ...(replicas >= 0
      ? []
      : [
          {
            type: 'Invalid' as const,
            field: 'spec.replicas',
            value: replicas,
            detail: 'must be greater than or equal to 0',
          },
        ]),
  ];
}

function checkUid(object: JsonObject, given: string): void {
  const { uid } = metadataOf(object);
  if (given === '' || given === uid) return;
  const found = textOf(uid);
  const why = `Precondition failed: UID in precondition: ${given}, UID in object meta: ${found}`;
  throw conflict({ group: scales.group, resource: 'scales' }, nameOf(object), why);
}

function replicasOf({ spec }: JsonObject): number {
  const replicas = isJsonObject(spec) ? spec['replicas'] : undefined;
  return typeof replicas === 'number' ? replicas : 0;
}

function observedOf({ status }: JsonObject): number {
  const replicas = isJsonObject(status) ? status['replicas'] : undefined;
  return typeof replicas === 'number' ? replicas : 0;
}

const scales: KindDefinition = describeScales();

function describeScales(): KindDefinition {
  const known = kindOf('autoscaling/v1', 'Scale');
  assert(known !== undefined, 'the table of shapes has a Scale');
  const { group, version, kind, type } = known;
  return {
    group,
    version,
    kind,
    type,
    resource: 'scales',
    singular: 'scale',
    namespaced: true,
    rules: {},
    columns: [
      { ...NAME, format: '' },
      {
        name: 'Desired',
        type: 'integer',
        priority: 0,
        description: 'How many there should be.',
        cell: replicasOf,
      },
      {
        name: 'Available',
        type: 'integer',
        priority: 0,
        description: 'How many there are.',
        cell: observedOf,
      },
      AGE,
    ],
  };
}

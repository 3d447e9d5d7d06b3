import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../lib/json.ts';
import { Definitions } from './definitions.ts';
import { V2, V3, type Dialect } from './dialect.ts';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const CORE = 'io.k8s.api.core.v1';

/** The definitions that a type needs, without their descriptions. */
function define(dialect: Dialect, type: string): Record<string, Schema> {
  const definitions = new Definitions(dialect, []);
  definitions.refer(type);
  return withoutDescriptions(definitions.all()) as Record<string, Schema>;
}

interface Schema extends JsonObject {
  readonly properties: JsonObject;
}

describe('the definition of a type in version 3', () => {
  test('a pod refers to its parts, each with an empty object as its default', () => {
    const { [`${CORE}.Pod`]: pod } = define(V3, 'core/v1.Pod');
    expect(pod).toEqual({
      type: 'object',
      properties: {
        apiVersion: { type: 'string' },
        kind: { type: 'string' },
        metadata: {
          allOf: [{ $ref: `#/components/schemas/${META}.ObjectMeta` }],
          default: {},
        },
        spec: { allOf: [{ $ref: `#/components/schemas/${CORE}.PodSpec` }], default: {} },
        status: { allOf: [{ $ref: `#/components/schemas/${CORE}.PodStatus` }], default: {} },
      },
      'x-kubernetes-group-version-kind': [{ group: '', kind: 'Pod', version: 'v1' }],
    });
  });

  test('a number that is always printed is required and 0 by default', () => {
    const { [`${CORE}.ContainerPort`]: port } = define(V3, 'core/v1.ContainerPort');
    expect(port?.['required']).toEqual(['containerPort']);
    expect(port?.properties).toMatchObject({
      containerPort: { type: 'integer', format: 'int32', default: 0 },
      hostPort: { type: 'integer', format: 'int32' },
      protocol: { type: 'string', default: 'TCP', enum: ['SCTP', 'TCP', 'UDP'] },
    });
    expect(port?.properties['hostPort']).not.toHaveProperty('default');
  });

  test('lists have their merge strategies, for apply and for strategic patches', () => {
    const { [`${META}.ObjectMeta`]: metadata } = define(V3, 'meta/v1.ObjectMeta');
    expect(metadata?.properties['ownerReferences']).toEqual({
      type: 'array',
      items: { allOf: [{ $ref: `#/components/schemas/${META}.OwnerReference` }], default: {} },
      'x-kubernetes-list-map-keys': ['uid'],
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-patch-merge-key': 'uid',
      'x-kubernetes-patch-strategy': 'merge',
    });
    expect(metadata?.properties['finalizers']).toMatchObject({
      items: { type: 'string', default: '' },
      'x-kubernetes-list-type': 'set',
    });
  });

  test('a strategy of two words is written with a comma', () => {
    const { [`${CORE}.PodSpec`]: spec } = define(V3, 'core/v1.PodSpec');
    expect(spec?.properties['volumes']).toMatchObject({
      'x-kubernetes-patch-merge-key': 'name',
      'x-kubernetes-patch-strategy': 'merge,retainKeys',
    });
  });

  test('bytes are base64, and a map of them has no default', () => {
    const { [`${CORE}.Secret`]: secret } = define(V3, 'core/v1.Secret');
    expect(secret?.properties['data']).toEqual({
      type: 'object',
      additionalProperties: { type: 'string', format: 'byte' },
    });
    expect(secret?.properties['stringData']).toEqual({
      type: 'object',
      additionalProperties: { type: 'string', default: '' },
    });
  });

  test('quantities and ports may be texts or numbers', () => {
    const defined = define(V3, 'core/v1.Pod');
    expect(defined['io.k8s.apimachinery.pkg.api.resource.Quantity']).toEqual({
      oneOf: [{ type: 'string' }, { type: 'number' }],
    });
    expect(defined['io.k8s.apimachinery.pkg.util.intstr.IntOrString']).toEqual({
      oneOf: [{ type: 'integer' }, { type: 'string' }],
      format: 'int-or-string',
    });
    expect(defined[`${META}.Time`]).toEqual({ type: 'string', format: 'date-time' });
  });

  test('a type that is one value has its format, a field has it for others', () => {
    const defined = define(V3, 'core/v1.PersistentVolume');
    expect(defined[`${CORE}.NodeSelector`]).toHaveProperty('x-kubernetes-map-type', 'atomic');
    expect(defined[`${CORE}.PersistentVolumeSpec`]?.properties['claimRef']).toHaveProperty(
      'x-kubernetes-map-type',
      'granular',
    );
    expect(defined[`${CORE}.VolumeNodeAffinity`]?.properties['required']).not.toHaveProperty(
      'x-kubernetes-map-type',
    );
  });

  test('a union names its discriminator and the fields that exclude each other', () => {
    const { [`${CORE}.SeccompProfile`]: profile } = define(V3, 'core/v1.SeccompProfile');
    expect(profile?.['x-kubernetes-unions']).toEqual([
      {
        discriminator: 'type',
        'fields-to-discriminateBy': { localhostProfile: 'LocalhostProfile' },
      },
    ]);
  });

  test('a recursive type is written once', () => {
    const name = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps';
    const { [name]: schema } = define(V3, 'apiextensions/v1.CustomResourceDefinition');
    expect(schema?.properties['not']).toEqual({ $ref: `#/components/schemas/${name}` });
  });

  test('options are of the core group and of the version of the document', () => {
    const definitions = new Definitions(V3, [{ group: 'apps', version: 'v1' }]);
    definitions.refer('meta/v1.DeleteOptions');
    expect(definitions.all()[`${META}.DeleteOptions`]).toHaveProperty(
      'x-kubernetes-group-version-kind',
      [
        { group: '', kind: 'DeleteOptions', version: 'v1' },
        { group: 'apps', kind: 'DeleteOptions', version: 'v1' },
      ],
    );
  });
});

describe('the definition of a type in version 2', () => {
  test('has no defaults, and may have text beside a reference', () => {
    const definitions = new Definitions(V2, []);
    definitions.refer('apps/v1.DeploymentSpec');
    const spec = definitions.all()['io.k8s.api.apps.v1.DeploymentSpec'] as Schema;
    expect(spec.properties['template']).toEqual({
      description: 'The pattern of its pods.',
      $ref: `#/definitions/${CORE}.PodTemplateSpec`,
    });
    expect(JSON.stringify(definitions.all())).not.toContain('"default":{}');
  });

  test('has one type for each value', () => {
    const defined = define(V2, 'core/v1.Pod');
    expect(defined['io.k8s.apimachinery.pkg.api.resource.Quantity']).toEqual({ type: 'string' });
    expect(defined['io.k8s.apimachinery.pkg.util.intstr.IntOrString']).toEqual({
      type: 'string',
      format: 'int-or-string',
    });
  });
});

function withoutDescriptions(value: unknown, areNames = false): unknown {
  if (Array.isArray(value)) return value.map((one) => withoutDescriptions(one));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    .filter(([key, one]) => areNames || key !== 'description' || typeof one !== 'string')
    .map(([key, one]) => [key, withoutDescriptions(one, key === 'properties' && !areNames)]);
  return Object.fromEntries(entries) as unknown;
}

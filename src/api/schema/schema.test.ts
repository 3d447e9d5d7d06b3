import { describe, expect, test } from 'vitest';

import { InvariantError } from '../../lib/assert.ts';
import { kindOf, openApiName, structOf } from './schema.ts';
import type { Field, Shape, StructType } from './shape.ts';

/** Follows a path of JSON names; lists and maps are stepped through without being named. */
function fieldAt(typeName: string, ...path: readonly string[]): Field {
  let type: StructType | undefined = structOf(typeName);
  let field: Field | undefined;
  for (const name of path) {
    field = type?.field(name);
    type = field && structIn(field.shape);
  }
  if (field === undefined) throw new Error(`${typeName} has no ${path.join('.')}`);
  return field;
}

function structIn(shape: Shape): StructType | undefined {
  if (shape.kind === 'list') return structIn(shape.item);
  if (shape.kind === 'map') return structIn(shape.value);
  return shape.kind === 'struct' ? shape.type : undefined;
}

function requiredOf(typeName: string): readonly string[] {
  const { fields } = structOf(typeName);
  return fields.filter(({ required }) => required).map(({ name }) => name);
}

const POD = 'core/v1.Pod';

describe('merging', () => {
  test.each([
    ['containers', 'name'],
    ['initContainers', 'name'],
    ['ephemeralContainers', 'name'],
    ['volumes', 'name'],
    ['imagePullSecrets', 'name'],
    ['schedulingGates', 'name'],
    ['resourceClaims', 'name'],
    ['hostAliases', 'ip'],
    ['topologySpreadConstraints', 'topologyKey'],
  ])('P-3: %s of a pod merge by %s', (list, key) => {
    const field = fieldAt(POD, 'spec', list);
    expect(field.patchStrategies).toContain('merge');
    expect(field.mergeKey).toBe(key);
  });

  test.each([
    ['env', 'name'],
    ['ports', 'containerPort'],
    ['volumeMounts', 'mountPath'],
    ['volumeDevices', 'devicePath'],
  ])('P-3: %s of every kind of container merge by %s', (list, key) => {
    for (const containers of ['containers', 'initContainers', 'ephemeralContainers']) {
      const field = fieldAt(POD, 'spec', containers, list);
      expect(field.patchStrategies).toEqual(['merge']);
      expect(field.mergeKey).toBe(key);
    }
  });

  test.each([
    ['conditions', 'type'],
    ['podIPs', 'ip'],
    ['hostIPs', 'ip'],
    ['resourceClaimStatuses', 'name'],
  ])("SM-75: %s of a pod's status merge by %s", (list, key) => {
    const field = fieldAt(POD, 'status', list);
    expect(field.patchStrategies).toContain('merge');
    expect(field.mergeKey).toBe(key);
  });

  test('SM-75: the three container status lists are replaced whole', () => {
    const lists = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'];
    for (const list of lists) {
      const field = fieldAt(POD, 'status', list);
      expect(field.patchStrategies).toEqual([]);
      expect(field.mergeKey).toBeUndefined();
      expect(field.listType).toBe('atomic');
    }
  });

  test('P-3: tolerations, args, command and envFrom are atomic', () => {
    expect(fieldAt(POD, 'spec', 'tolerations').patchStrategies).toEqual([]);
    for (const list of ['args', 'command', 'envFrom']) {
      expect(fieldAt(POD, 'spec', 'containers', list).patchStrategies).toEqual([]);
    }
  });

  test('P-3: owner references merge by uid, finalizers merge without a key', () => {
    expect(fieldAt(POD, 'metadata', 'ownerReferences')).toMatchObject({
      patchStrategies: ['merge'],
      mergeKey: 'uid',
    });
    const finalizers = fieldAt(POD, 'metadata', 'finalizers');
    expect(finalizers.patchStrategies).toEqual(['merge']);
    expect(finalizers.mergeKey).toBeUndefined();
    expect(finalizers.listType).toBe('set');
  });

  test('P-3: volumes merge, and retain only the named keys', () => {
    expect(fieldAt(POD, 'spec', 'volumes').patchStrategies).toEqual(['merge', 'retainKeys']);
    const strategy = fieldAt('apps/v1.Deployment', 'spec', 'strategy');
    expect(strategy.patchStrategies).toEqual(['retainKeys']);
  });

  test("a service's ports merge by port, but are distinguished by port and protocol", () => {
    expect(fieldAt('core/v1.Service', 'spec', 'ports')).toMatchObject({
      patchStrategies: ['merge'],
      mergeKey: 'port',
      listType: 'map',
      listMapKeys: ['port', 'protocol'],
    });
  });

  test('atomic is declared on the field, or on the type for all its fields', () => {
    expect(fieldAt(POD, 'spec', 'nodeSelector').atomic).toBe(true);
    expect(structOf('meta/v1.LabelSelector').atomic).toBe(true);
    expect(fieldAt('apps/v1.Deployment', 'spec', 'selector').atomic).toBe(true);
    expect(structOf(POD).atomic).toBe(false);
    expect(fieldAt(POD, 'spec').atomic).toBeUndefined();
  });
});

describe('fields', () => {
  test('absent and zero differ where Go has a pointer', () => {
    const status = 'core/v1.ContainerStatus';
    expect(fieldAt(status, 'started').pointer).toBe(true);
    expect(fieldAt(status, 'ready').pointer).toBe(false);
    expect(fieldAt(status, 'state').pointer).toBe(false);
    expect(fieldAt(status, 'state', 'waiting').pointer).toBe(true);
    expect(fieldAt(POD, 'spec', 'terminationGracePeriodSeconds').pointer).toBe(true);
    expect(fieldAt(POD, 'metadata', 'creationTimestamp').pointer).toBe(false);
    expect(fieldAt(POD, 'metadata', 'deletionTimestamp').pointer).toBe(true);
  });

  test('an empty value is left out where JSON may leave it out', () => {
    expect(fieldAt('core/v1.ContainerStatus', 'restartCount').omitEmpty).toBe(false);
    expect(fieldAt('core/v1.ContainerStatus', 'containerID').omitEmpty).toBe(true);
    expect(fieldAt(POD, 'metadata', 'creationTimestamp').omitEmpty).toBe(true);
  });

  test('every wire type is distinguished from the others', () => {
    const quantity = { kind: 'special', special: 'Quantity' };
    expect(fieldAt('core/v1.ResourceRequirements', 'limits').shape).toEqual({
      kind: 'map',
      value: quantity,
    });
    expect(fieldAt('core/v1.EmptyDirVolumeSource', 'sizeLimit').shape).toEqual(quantity);
    expect(fieldAt('core/v1.HTTPGetAction', 'port').shape).toEqual({
      kind: 'special',
      special: 'IntOrString',
    });
    expect(fieldAt('core/v1.Secret', 'data').shape).toEqual({
      kind: 'map',
      value: { kind: 'scalar', scalar: 'bytes' },
    });
    expect(fieldAt('coordination/v1.Lease', 'spec', 'renewTime').shape).toEqual({
      kind: 'special',
      special: 'MicroTime',
    });
    expect(fieldAt('apiextensions/v1.JSONSchemaProps', 'maximum').shape).toEqual({
      kind: 'scalar',
      scalar: 'double',
    });
    expect(fieldAt('core/v1.List', 'items').shape).toEqual({
      kind: 'list',
      item: { kind: 'special', special: 'RawExtension' },
    });
    expect(fieldAt('meta/v1.ManagedFieldsEntry', 'fieldsV1').shape).toEqual({
      kind: 'special',
      special: 'FieldsV1',
    });
    expect(fieldAt('meta/v1.Table', 'rows', 'cells').shape).toEqual({
      kind: 'list',
      item: { kind: 'special', special: 'JSON' },
    });
  });

  test('a named string is a string, with its values where they are closed', () => {
    expect(fieldAt(POD, 'spec', 'restartPolicy').shape).toEqual({
      kind: 'scalar',
      scalar: 'string',
      enum: ['Always', 'Never', 'OnFailure'],
    });
    expect(fieldAt(POD, 'status', 'phase').shape).toMatchObject({
      enum: ['Failed', 'Pending', 'Running', 'Succeeded', 'Unknown'],
    });
    expect(fieldAt(POD, 'spec', 'containers', 'ports', 'protocol').shape).toMatchObject({
      enum: ['SCTP', 'TCP', 'UDP'],
    });
    expect(fieldAt(POD, 'metadata', 'uid').shape).toEqual({ kind: 'scalar', scalar: 'string' });
    expect(fieldAt(POD, 'status', 'conditions', 'type').shape).toEqual({
      kind: 'scalar',
      scalar: 'string',
    });
  });

  test('required fields are those of OpenAPI', () => {
    expect(requiredOf(POD)).toEqual([]);
    expect(requiredOf('core/v1.PodSpec')).toEqual(['containers']);
    expect(requiredOf('core/v1.Container')).toEqual(['name']);
    expect(requiredOf('core/v1.ContainerStatus')).toEqual([
      'name',
      'ready',
      'restartCount',
      'image',
      'imageID',
    ]);
    expect(requiredOf('core/v1.Volume')).toEqual(['name']);
    expect(requiredOf('apps/v1.DeploymentSpec')).toEqual(['selector', 'template']);
    expect(requiredOf('apiextensions/v1.CustomResourceDefinitionSpec')).toEqual([
      'group',
      'names',
      'scope',
      'versions',
    ]);
  });

  test('defaults are the values that the types declare', () => {
    expect(fieldAt(POD, 'spec', 'containers', 'ports', 'protocol').default).toBe('TCP');
    expect(fieldAt('core/v1.AzureDiskVolumeSource', 'cachingMode').default).toBe('ReadWrite');
    expect(fieldAt('core/v1.AzureDiskVolumeSource', 'readOnly').default).toBe(false);
    expect(fieldAt('core/v1.LocalObjectReference', 'name').default).toBe('');
    expect('default' in fieldAt(POD, 'spec', 'restartPolicy')).toBe(false);
  });

  test('keys that every JavaScript object has are no fields', () => {
    for (const key of ['__proto__', 'constructor', 'toString']) {
      expect(structOf(POD).field(key)).toBeUndefined();
      expect(() => structOf(key)).toThrow(InvariantError);
      expect(kindOf('v1', key)).toBeUndefined();
      expect(kindOf(key, 'Pod')).toBeUndefined();
    }
  });
});

describe('inlined structs', () => {
  test("JSON shows a volume's sources beside its name", () => {
    const volume = structOf('core/v1.Volume');
    expect(volume.fields.slice(0, 3).map(({ name }) => name)).toEqual([
      'name',
      'hostPath',
      'emptyDir',
    ]);
    expect(volume.field('volumeSource')).toBeUndefined();
    expect(volume.field('emptyDir')).toBe(structOf('core/v1.VolumeSource').field('emptyDir'));
  });

  test('protobuf has the sources in a message of their own', () => {
    const [name, source] = structOf('core/v1.Volume').messageFields;
    expect(name).toMatchObject({ name: 'name', number: 1 });
    expect(source).toMatchObject({ name: 'volumeSource', number: 2, inlined: true });
    expect(source?.shape).toMatchObject({ kind: 'struct', name: 'core/v1.VolumeSource' });
  });

  test('apiVersion and kind come first in JSON and are not in protobuf', () => {
    const pod = structOf(POD);
    expect(pod.fields.map(({ name }) => name)).toEqual([
      'kind',
      'apiVersion',
      'metadata',
      'spec',
      'status',
    ]);
    expect(pod.messageFields.map(({ name }) => name)).toEqual(['metadata', 'spec', 'status']);
    expect(pod.field('kind')).not.toHaveProperty('number');
    expect(pod.field('apiVersion')).not.toHaveProperty('number');
  });

  test('an inlined message without a protobuf name is named for its Go field', () => {
    const [common] = structOf('core/v1.EphemeralContainer').messageFields;
    expect(common).toMatchObject({ name: 'ephemeralContainerCommon', number: 1, inlined: true });
  });
});

describe('protobuf', () => {
  test.each([
    ['core/v1.PodSpec', 'containers', 2],
    ['core/v1.PodSpec', 'nodeName', 10],
    ['core/v1.PodSpec', 'initContainers', 20],
    ['core/v1.PodStatus', 'containerStatuses', 8],
    ['core/v1.PodStatus', 'observedGeneration', 17],
    ['core/v1.Container', 'envFrom', 19],
    ['meta/v1.ObjectMeta', 'uid', 5],
    ['meta/v1.ObjectMeta', 'managedFields', 17],
    ['apps/v1.DeploymentSpec', 'template', 3],
    ['apiextensions/v1.JSONSchemaProps', '$ref', 3],
    ['meta/v1.WatchEvent', 'object', 2],
  ])('%s has %s as number %i', (type, name, number) => {
    expect(fieldAt(type, name).number).toBe(number);
  });

  test('fields come in the order of their numbers', () => {
    const numbers = structOf('core/v1.PodStatus').messageFields.map(({ number }) => number ?? 0);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  });

  test('verbs and extra values are messages that hold a list', () => {
    const strings = { kind: 'list', item: { kind: 'scalar', scalar: 'string' }, wrapped: true };
    expect(fieldAt('meta/v1.APIResource', 'verbs').shape).toEqual(strings);
    const extra = fieldAt('authentication/v1.UserInfo', 'extra').shape;
    expect(extra).toEqual({ kind: 'map', value: strings });
    expect(fieldAt('core/v1.Container', 'args').shape).not.toHaveProperty('wrapped');
  });

  test('tables have no protobuf', () => {
    expect(structOf('meta/v1.Table').messageFields).toEqual([]);
  });
});

describe('types', () => {
  test('a type that contains itself leads back to itself', () => {
    const schema = structOf('apiextensions/v1.JSONSchemaProps');
    expect(structIn(fieldAt(schema.name, 'properties').shape)).toBe(schema);
    expect(structIn(fieldAt(schema.name, 'not').shape)).toBe(schema);
    expect(fieldAt(schema.name, 'items').shape).toEqual({
      kind: 'special',
      special: 'JSONSchemaPropsOrArray',
    });
  });

  test('a type is read once, however it is reached', () => {
    expect(structOf(POD)).toBe(structOf(POD));
    expect(structOf(POD).fields).toBe(structOf(POD).fields);
    expect(kindOf('v1', 'Pod')?.type).toBe(structOf(POD));
    expect(structIn(fieldAt('core/v1.PodList', 'items').shape)).toBe(structOf(POD));
  });

  test('an unknown type is a bug', () => {
    expect(() => structOf('core/v1.Pot')).toThrow(InvariantError);
  });

  test('OpenAPI names are derived from the package', () => {
    expect(openApiName(POD)).toBe('io.k8s.api.core.v1.Pod');
    expect(openApiName('meta/v1.ObjectMeta')).toBe(
      'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta',
    );
    expect(openApiName('Quantity')).toBe('io.k8s.apimachinery.pkg.api.resource.Quantity');
    expect(openApiName('IntOrString')).toBe('io.k8s.apimachinery.pkg.util.intstr.IntOrString');
    expect(openApiName('apiextensions/v1.CustomResourceDefinition')).toBe(
      'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition',
    );
    expect(() => openApiName('nowhere/v1.Pod')).toThrow(InvariantError);
    expect(() => openApiName('Pod')).toThrow(InvariantError);
  });
});

import { expect, test } from 'vitest';
import { PodkeepError } from '../../lib/errors.ts';
import { structOf } from '../schema/schema.ts';
import type { Shape, TypeName } from '../schema/shape.ts';
import { findListRule, findObjectRule, needRule } from './patch-rule.ts';

function shapeOf(name: TypeName): Shape {
  return { kind: 'struct', name, type: structOf(name) };
}

const POD_SPEC = shapeOf('core/v1.PodSpec');
const CONTAINER = shapeOf('core/v1.Container');

function mergeKeyOf(parent: Shape, field: string): string | undefined {
  return needRule(findListRule(parent, field)).mergeKey;
}

function sentence(found: unknown): string {
  return found instanceof PodkeepError ? found.message : 'found';
}

test('P-3: the lists of a Pod merge by their keys', () => {
  const byName = ['containers', 'initContainers', 'ephemeralContainers', 'volumes'];
  for (const field of [...byName, 'imagePullSecrets', 'schedulingGates', 'resourceClaims']) {
    expect(mergeKeyOf(POD_SPEC, field)).toBe('name');
  }
  expect(mergeKeyOf(POD_SPEC, 'hostAliases')).toBe('ip');
  expect(mergeKeyOf(POD_SPEC, 'topologySpreadConstraints')).toBe('topologyKey');
  expect(mergeKeyOf(CONTAINER, 'env')).toBe('name');
  expect(mergeKeyOf(CONTAINER, 'ports')).toBe('containerPort');
  expect(mergeKeyOf(CONTAINER, 'volumeMounts')).toBe('mountPath');
  expect(mergeKeyOf(CONTAINER, 'volumeDevices')).toBe('devicePath');
});

test('SM-75: the lists of a status merge by type, ip and name, container statuses do not', () => {
  const status = shapeOf('core/v1.PodStatus');
  expect(mergeKeyOf(status, 'conditions')).toBe('type');
  expect(mergeKeyOf(status, 'podIPs')).toBe('ip');
  expect(mergeKeyOf(status, 'hostIPs')).toBe('ip');
  expect(mergeKeyOf(status, 'resourceClaimStatuses')).toBe('name');
  for (const field of ['', 'init', 'ephemeral']) {
    const name = field === '' ? 'containerStatuses' : `${field}ContainerStatuses`;
    expect(needRule(findListRule(status, name)).strategy).toBeUndefined();
  }
});

test('P-3: finalizers merge as a set, tolerations, args, command and envFrom are replaced', () => {
  const meta = shapeOf('meta/v1.ObjectMeta');
  expect(mergeKeyOf(meta, 'ownerReferences')).toBe('uid');
  expect(needRule(findListRule(meta, 'finalizers'))).toMatchObject({
    strategy: 'merge',
    mergeKey: undefined,
  });
  expect(needRule(findListRule(POD_SPEC, 'tolerations')).strategy).toBeUndefined();
  for (const field of ['args', 'command', 'envFrom']) {
    expect(needRule(findListRule(CONTAINER, field)).strategy).toBeUndefined();
  }
});

test('P-3: volumes retain keys, and so does the strategy of a Deployment', () => {
  expect(needRule(findListRule(POD_SPEC, 'volumes'))).toMatchObject({
    strategy: 'merge',
    retainKeys: true,
  });
  const strategy = findObjectRule(shapeOf('apps/v1.DeploymentSpec'), 'strategy');
  expect(needRule(strategy)).toMatchObject({ strategy: undefined, retainKeys: true });
});

test('where there is no rule, the reason is the one Kubernetes gives', () => {
  const map: Shape = { kind: 'map', value: { kind: 'scalar', scalar: 'string' } };
  const quantity: Shape = { kind: 'special', special: 'Quantity' };
  const text: Shape = { kind: 'scalar', scalar: 'double' };
  expect(sentence(findObjectRule(POD_SPEC, 'x'))).toBe(
    'unable to find api field in struct PodSpec for the json field "x"',
  );
  expect(sentence(findObjectRule(quantity, 'x'))).toBe(
    'unable to find api field in struct Quantity for the json field "x"',
  );
  expect(sentence(findObjectRule(map, 'x'))).toMatch(/data type is not struct, instead is: map$/);
  expect(sentence(findListRule(text, 'x'))).toMatch(/instead is: float64$/);
  expect(sentence(findListRule(POD_SPEC, 'nodeSelector'))).toBe(
    'expected slice or array type, but got: struct',
  );
});

test('a list where the type has a pointer to something else is replaced, as in Kubernetes', () => {
  expect(needRule(findListRule(POD_SPEC, 'securityContext')).strategy).toBeUndefined();
});

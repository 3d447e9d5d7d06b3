import { expect, test } from 'vitest';
import { internalForm } from './internal-form.ts';

test("every field is present, empty ones as Go's zero value", () => {
  expect(internalForm({ name: 'r', resourceClaimName: 'x' }, 'core/v1.PodResourceClaim')).toEqual({
    Name: 'r',
    ResourceClaimName: 'x',
    ResourceClaimTemplateName: null,
  });
});

test('irregular field names are those of Go', () => {
  const probe = internalForm({ httpGet: { port: 80 } }, 'core/v1.Probe');
  expect(probe).toMatchObject({ HTTPGet: { Path: '', Port: 80, HTTPHeaders: null }, GRPC: null });
  expect(internalForm({ monitors: ['a'], image: 'i' }, 'core/v1.RBDVolumeSource')).toMatchObject({
    CephMonitors: ['a'],
    RBDImage: 'i',
  });
});

test('the host namespaces are part of the security context', () => {
  const form = internalForm({ hostNetwork: true, serviceAccount: 'x' }, 'core/v1.PodSpec');
  expect(form).toMatchObject({ SecurityContext: { HostNetwork: true, HostPID: false } });
  expect(form).not.toHaveProperty('HostNetwork');
  expect(form).not.toHaveProperty('ServiceAccount');
});

test('quantities are in their canonical form, and maps in the order of their keys', () => {
  const form = internalForm(
    { limits: { memory: '1024Ki', cpu: '0.5' } },
    'core/v1.ResourceRequirements',
  );
  expect(JSON.stringify(form)).toBe(
    '{"Limits":{"cpu":"500m","memory":"1Mi"},"Requests":null,"Claims":null}',
  );
});

test('types of the API machinery look the same, without empty fields', () => {
  const term = { labelSelector: { matchLabels: { a: 'b' }, matchExpressions: [] } };
  expect(internalForm(term, 'core/v1.PodAffinityTerm')).toMatchObject({
    LabelSelector: { matchLabels: { a: 'b' } },
  });
});

test('a value that is not an object is an empty one', () => {
  expect(internalForm(undefined, 'core/v1.PodOS')).toEqual({ Name: '' });
});

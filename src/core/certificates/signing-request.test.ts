import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../lib/json.ts';
import { requestObject, usagesOf, requestStateOf } from './signing-request.ts';

const CLIENT = 'kubernetes.io/kube-apiserver-client-kubelet';
const SERVING = 'kubernetes.io/kubelet-serving';
const certificate = 'Y2VydA==';

function request(status: JsonObject, uid = 'u1'): JsonObject {
  return { metadata: { uid }, status };
}

function conditions(...types: readonly string[]): JsonObject {
  return { conditions: types.map((type) => ({ type, reason: 'Why', message: 'words' })) };
}

test('only RSA keys are for encipherment', () => {
  expect(usagesOf(CLIENT, false)).toEqual(['digital signature', 'client auth']);
  expect(usagesOf(SERVING, false)).toEqual(['digital signature', 'server auth']);
  expect(usagesOf(SERVING, true)).toEqual(['digital signature', 'key encipherment', 'server auth']);
});

test('a request has the name that it is given, or leaves it to the API server', () => {
  const named = requestObject({ name: 'node-csr-x', signer: CLIENT, isRsa: false }, 'cGVt');
  expect(named).toMatchObject({
    metadata: { name: 'node-csr-x' },
    spec: { request: 'cGVt', signerName: CLIENT },
  });
  const unnamed = requestObject({ name: '', signer: CLIENT, isRsa: false }, 'cGVt');
  expect(unnamed['metadata']).toEqual({ generateName: 'csr-' });
});

describe('the answer', () => {
  test('is awaited until the request is approved and signed', () => {
    expect(requestStateOf(request({}), 'u1')).toEqual({ type: 'waiting', isApproved: false });
    const approved = request(conditions('Approved'));
    expect(requestStateOf(approved, 'u1')).toEqual({ type: 'waiting', isApproved: true });
    const signed = request({ ...conditions('Approved'), certificate });
    expect(requestStateOf(signed, 'u1')).toEqual({ type: 'issued', base64: certificate });
  });

  test('does not count without an approval', () => {
    expect(requestStateOf(request({ certificate }), 'u1')).toMatchObject({ type: 'waiting' });
  });

  test.each([
    ['Denied', 'denied'],
    ['Failed', 'failed'],
  ])('is no if the request is %s, whatever else it is', (condition, type) => {
    const status = { ...conditions('Approved', condition), certificate };
    const words = { reason: 'Why', message: 'words' };
    expect(requestStateOf(request(status), 'u1')).toEqual({ type, ...words });
  });

  test('is lost if another request has taken the name', () => {
    expect(requestStateOf(request({}, 'u2'), 'u1')).toMatchObject({ type: 'lost' });
  });
});

import { describe, expect, test } from 'vitest';
import { deepFreeze } from '../../../test/support/deep-freeze.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { toStaticPod, type StaticPodOrigin } from './static-pod.ts';

const ORIGIN: StaticPodOrigin = {
  file: '/etc/manifests/web.yaml',
  nodeName: 'Node1',
  prepare: (pod) => pod,
};
const NO_EXECUTE = { operator: 'Exists', effect: 'NoExecute' };

function manifest(metadata: JsonObject = {}, spec: JsonObject = {}): JsonObject {
  return deepFreeze({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', ...metadata },
    spec: { containers: [{ name: 'c' }], ...spec },
  });
}

function uidOf(text: JsonObject, origin: Partial<StaticPodOrigin> = {}): string | undefined {
  return toStaticPod(text, { ...ORIGIN, ...origin }).metadata.uid;
}

describe('a static pod (KL-60)', () => {
  test('is bound to its node and named after it', () => {
    const { metadata, spec, status } = toStaticPod(manifest({ labels: { a: 'b' } }), ORIGIN);
    expect(metadata).toMatchObject({ name: 'web-node1', namespace: 'default', labels: { a: 'b' } });
    expect(metadata.annotations).toEqual({ 'kubernetes.io/config.hash': metadata.uid });
    expect(spec).toMatchObject({ nodeName: 'Node1', tolerations: [NO_EXECUTE] });
    expect(status).toEqual({ phase: 'Pending' });
  });

  test('keeps its own namespace, and its own UID as its hash', () => {
    const { metadata } = toStaticPod(manifest({ namespace: 'work', uid: 'fixed' }), ORIGIN);
    expect(metadata).toMatchObject({ namespace: 'work', uid: 'fixed' });
    expect(metadata.annotations).toEqual({ 'kubernetes.io/config.hash': 'fixed' });
  });

  test('has a UID of 32 digits that depends only on its content, its file and its node', () => {
    const uid = uidOf(manifest());
    expect(uid).toMatch(/^[0-9a-f]{32}$/);
    const { metadata, spec, ...rest } = manifest();
    expect(uidOf({ spec: spec ?? {}, metadata: metadata ?? {}, ...rest })).toBe(uid);
    expect(uidOf(manifest({ labels: {} }))).not.toBe(uid);
    expect(uidOf(manifest(), { file: '/other' })).not.toBe(uid);
    expect(uidOf(manifest(), { nodeName: 'node2' })).not.toBe(uid);
  });

  test.each<[string, readonly JsonObject[], readonly JsonObject[]]>([
    ['is added behind others', [{ key: 'a' }], [{ key: 'a' }, NO_EXECUTE]],
    ['is there already', [NO_EXECUTE, { key: 'a' }], [NO_EXECUTE, { key: 'a' }]],
    ['replaces one for a time', [{ ...NO_EXECUTE, tolerationSeconds: 5 }], [NO_EXECUTE]],
    [
      'is not one of a key',
      [{ ...NO_EXECUTE, key: 'k' }],
      [{ ...NO_EXECUTE, key: 'k' }, NO_EXECUTE],
    ],
  ])('tolerates every taint: that toleration %s', (_how, tolerations, expected) => {
    const { spec } = toStaticPod(manifest({}, { tolerations }), ORIGIN);
    expect(isJsonObject(spec) && spec['tolerations']).toEqual(expected);
  });

  test('is defaulted as the API server does it, after it was bound', () => {
    const seen: JsonObject[] = [];
    const prepare = (pod: JsonObject): JsonObject => {
      seen.push(pod);
      return { ...pod, spec: { containers: [{ name: 'c', image: 'filled-in' }] } };
    };
    const { spec } = toStaticPod(manifest(), { ...ORIGIN, prepare });
    expect(spec.containers[0]?.image).toBe('filled-in');
    expect(seen[0]).toMatchObject({ metadata: { name: 'web-node1' } });
  });
});

describe('a manifest that makes no static pod', () => {
  const broken = (): never => {
    throw new Error('spec.containers[0].image: Required value');
  };
  test.each<[string, JsonObject, string]>([
    ['without a name', manifest({ name: '' }), 'invalid pod: name is needed for the pod'],
    ['without containers', manifest({}, { containers: null }), 'spec.containers: Required value'],
    [
      'without a spec',
      { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' } },
      'Required value',
    ],
  ])('%s', (_what, text, problem) => {
    expect(() => toStaticPod(text, ORIGIN)).toThrow(problem);
  });

  test('is reported with the validation error of the API server', () => {
    expect(() => toStaticPod(manifest(), { ...ORIGIN, prepare: broken })).toThrow(
      'the manifest /etc/manifests/web.yaml cannot be used: ' +
        'invalid pod: spec.containers[0].image: Required value',
    );
  });

  const from = (kind: string, field: string): JsonObject => ({ [kind]: { [field]: 'x' } });
  const volume = (source: JsonObject): JsonObject => ({ volumes: [{ name: 'v', ...source }] });
  const projected = (source: JsonObject): JsonObject =>
    volume({ projected: { sources: [source] } });
  const env = (entry: JsonObject): JsonObject => ({ containers: [{ name: 'c', ...entry }] });
  test.each<[JsonObject, string]>([
    [{ serviceAccountName: 'x' }, 'serviceaccounts'],
    [{ imagePullSecrets: [{ name: 'x' }] }, 'secrets'],
    [env({ envFrom: [from('secretRef', 'name')] }), 'secrets'],
    [env({ env: [{ name: 'A', valueFrom: from('configMapKeyRef', 'name') }] }), 'configmaps'],
    [{ resourceClaims: [{ name: 'x' }] }, 'resourceclaims'],
    [volume(from('secret', 'secretName')), 'secrets'],
    [volume({ secret: {} }), 'secrets (via secret volumes)'],
    [volume({ configMap: {} }), 'configmaps (via configmap volumes)'],
    [volume(from('persistentVolumeClaim', 'claimName')), 'persistentvolumeclaims'],
    [volume({ ephemeral: {} }), 'persistentvolumeclaims (via ephemeral volumes)'],
    [volume({ csi: {} }), 'csidrivers (via CSI volumes)'],
    [projected({ serviceAccountToken: {} }), 'serviceaccounts (via projected volumes)'],
    [projected({ clusterTrustBundle: {} }), 'clustertrustbundles'],
    [projected({ configMap: {} }), 'configmaps (via projected volumes)'],
  ])('refers to the API: %j', (spec, word) => {
    expect(() => toStaticPod(manifest({}, spec), ORIGIN)).toThrow(
      `static pods may not reference ${word}`,
    );
  });

  test('is not one whose volumes need no API', () => {
    for (const spec of [volume({ hostPath: { path: '/x' } }), projected({ downwardAPI: {} })]) {
      expect(() => toStaticPod(manifest({}, spec), ORIGIN)).not.toThrow();
    }
  });
});

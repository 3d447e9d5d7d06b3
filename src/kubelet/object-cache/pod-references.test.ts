import { expect, test } from 'vitest';
import type { Pod } from '../../api/pod.ts';
import { configMapNamesOf, secretNamesOf } from './pod-references.ts';

const env = (name: string): object => ({
  name,
  envFrom: [{ secretRef: { name: `${name}-all` } }, { configMapRef: { name: `${name}-all` } }],
  env: [
    { name: 'A', value: 'plain' },
    { name: 'B', valueFrom: { secretKeyRef: { name: `${name}-one`, key: 'k' } } },
    { name: 'C', valueFrom: { configMapKeyRef: { name: `${name}-one`, key: 'k' } } },
  ],
});

const spec = {
  imagePullSecrets: [{ name: 'pull' }, { name: '' }],
  initContainers: [env('init')],
  containers: [env('main')],
  ephemeralContainers: [env('debug')],
  volumes: [
    { name: '1', secret: { secretName: 'volume' } },
    { name: '2', configMap: { name: 'volume' } },
    {
      name: '3',
      projected: { sources: [{ secret: { name: 'p' } }, { configMap: { name: 'p' } }, {}] },
    },
    { name: '4', csi: { nodePublishSecretRef: { name: 'csi' } } },
    { name: '5', iscsi: { secretRef: { name: 'iscsi' } } },
    { name: '6', azureFile: { secretName: 'azure' } },
    { name: '7', emptyDir: {} },
  ],
};
const pod = { metadata: {}, spec } as unknown as Pod;

const fromContainers = ['init-all', 'init-one', 'main-all', 'main-one', 'debug-all', 'debug-one'];

test('every secret that a pod names is found, once', () => {
  const names = ['pull', ...fromContainers, 'volume', 'csi', 'iscsi', 'azure', 'p'];
  expect([...secretNamesOf(pod)].toSorted()).toEqual(names.toSorted());
});

test('every config map that a pod names is found, once', () => {
  expect([...configMapNamesOf(pod)].toSorted()).toEqual(
    [...fromContainers, 'volume', 'p'].toSorted(),
  );
});

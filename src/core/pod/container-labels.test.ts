import { expect, test } from 'vitest';
import { livePod } from '../../../test/kubelet/runs/live-pod.ts';
import {
  containerAnnotations,
  containerHash,
  containerLabels,
  sandboxLabels,
} from './container-labels.ts';

const POD = livePod('web');

test('a sandbox carries the labels of its pod, which cannot fake its identity', () => {
  const labels = { app: 'shop', 'io.kubernetes.pod.uid': 'another' };
  expect(sandboxLabels({ ...POD, metadata: { ...POD.metadata, labels } })).toEqual({
    app: 'shop',
    'io.kubernetes.pod.name': 'web',
    'io.kubernetes.pod.namespace': 'rec',
    'io.kubernetes.pod.uid': 'uid-of-web',
  });
});

test('a label named __proto__ is a label like any other', () => {
  const labels = JSON.parse('{"__proto__":"x"}') as Record<string, string>;
  const made = sandboxLabels({ ...POD, metadata: { ...POD.metadata, labels } });
  expect(Object.entries(made)).toContainEqual(['__proto__', 'x']);
});

test('a container carries its pod and its name', () => {
  expect(containerLabels(POD, { name: 'main' })).toMatchObject({
    'io.kubernetes.container.name': 'main',
    'io.kubernetes.pod.uid': 'uid-of-web',
  });
});

test('a container carries what is needed to stop it without its spec', () => {
  const preStop = { exec: { command: ['drain'] } };
  const container = {
    name: 'main',
    image: 'busy:1',
    lifecycle: { preStop },
    ports: [{ containerPort: 80 }],
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File' as const,
  };
  const pod = { ...POD, metadata: { ...POD.metadata, deletionGracePeriodSeconds: 0 } };
  expect(containerAnnotations(pod, container, 3)).toEqual({
    'io.kubernetes.container.hash': containerHash(container),
    'io.kubernetes.container.restartCount': '3',
    'io.kubernetes.container.terminationMessagePath': '/dev/termination-log',
    'io.kubernetes.container.terminationMessagePolicy': 'File',
    'io.kubernetes.container.preStopHandler': JSON.stringify(preStop),
    'io.kubernetes.container.ports': '[{"containerPort":80}]',
    'io.kubernetes.pod.deletionGracePeriod': '0',
    'io.kubernetes.pod.terminationGracePeriod': '30',
  });
});

test('the hash changes with the image, and with nothing else', () => {
  const hash = containerHash({ name: 'main', image: 'busy:1' });
  expect(containerHash({ name: 'main', image: 'busy:1', command: ['x'] })).toBe(hash);
  expect(containerHash({ name: 'main', image: 'busy:2' })).not.toBe(hash);
});

test.each([
  ['foo', 'bar', '11a6d6d6'],
  ['test_container', 'foo/image:v1', '8e45cbd0'],
  ['a', '<x>&é', 'd1463bf0'],
  ['c', '', '27e233a'],
])(
  'the hash of %s with image %j is the number that a kubelet of v1.36 computes',
  (name, image, hash) => {
    expect(containerHash({ name, image })).toBe(hash);
  },
);

test('JSON has the field order of the API, whatever order the manifest has', () => {
  const container = {
    name: 'main',
    lifecycle: { preStop: { httpGet: { scheme: 'HTTP' as const, port: 80, path: '/a?b&c' } } },
    ports: [{ protocol: 'TCP' as const, containerPort: 80, hostPort: 8080, name: 'http' }],
  };
  expect(containerAnnotations(POD, container, 0)).toMatchObject({
    'io.kubernetes.container.preStopHandler':
      '{"httpGet":{"path":"/a?b\\u0026c","port":80,"scheme":"HTTP"}}',
    'io.kubernetes.container.ports':
      '[{"name":"http","hostPort":8080,"containerPort":80,"protocol":"TCP"}]',
  });
});

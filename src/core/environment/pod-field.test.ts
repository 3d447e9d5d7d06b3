import { describe, expect, test } from 'vitest';
import type { Pod } from '../../api/pod.ts';
import { envFieldOf, metadataFieldOf } from './pod-field.ts';

const pod = {
  metadata: {
    name: 'web',
    namespace: 'shop',
    uid: 'u-1',
    labels: { b: '2', a: '1', 'example.com/x': 'say "x"' },
    annotations: { note: 'two\nlines' },
  },
  spec: { containers: [], nodeName: 'node1', serviceAccountName: 'clerk' },
} as Pod;
const at = { podIPs: ['10.0.0.1', 'fd00::1'], hostIPs: ['192.0.2.1', '2001:db8::1'] };

describe('fields of a pod for its containers', () => {
  test.each([
    ['metadata.name', 'web'],
    ['metadata.namespace', 'shop'],
    ['metadata.uid', 'u-1'],
    ["metadata.labels['a']", '1'],
    ["metadata.labels['example.com/x']", 'say "x"'],
    ["metadata.labels['constructor']", ''],
    ["metadata.annotations['note']", 'two\nlines'],
    ['metadata.labels', 'a="1"\nb="2"\nexample.com/x="say \\"x\\""'],
    ['metadata.annotations', String.raw`note="two\nlines"`],
    ['spec.nodeName', 'node1'],
    ['spec.host', 'node1'],
    ['spec.serviceAccountName', 'clerk'],
    ['status.hostIP', '192.0.2.1'],
    ['status.hostIPs', '192.0.2.1,2001:db8::1'],
    ['status.podIP', '10.0.0.1'],
    ['status.podIPs', '10.0.0.1,fd00::1'],
  ])('%s is %j', (fieldPath, value) => {
    expect(envFieldOf(pod, { fieldPath }, at)).toBe(value);
  });

  test.each([
    ['spec.containers', 'field label not supported: spec.containers'],
    ["spec.nodeName['x']", "field label does not support subscript: spec.nodeName['x']"],
    ['spec.restartPolicy', 'unsupported fieldPath: spec.restartPolicy'],
    ["metadata.labels['-']", "invalid key subscript in metadata.labels['-']: "],
  ])('%s is refused in the words of a kubelet', (fieldPath, words) => {
    expect(() => envFieldOf(pod, { fieldPath }, at)).toThrow(words);
  });

  test('another API version of pods is refused', () => {
    const reference = { apiVersion: 'v2', fieldPath: 'metadata.name' };
    expect(() => envFieldOf(pod, reference, at)).toThrow('unsupported pod version: v2');
  });

  test('a node without an address yet has no host IP', () => {
    const nowhere = { podIPs: [], hostIPs: [] };
    expect(() => envFieldOf(pod, { fieldPath: 'status.hostIP' }, nowhere)).toThrow('host IP');
    expect(envFieldOf(pod, { fieldPath: 'status.podIP' }, nowhere)).toBe('');
  });

  test('a file has no addresses and nothing of the spec', () => {
    expect(metadataFieldOf(pod, 'metadata.uid')).toBe('u-1');
    expect(() => metadataFieldOf(pod, 'status.podIP')).toThrow(
      'unsupported fieldPath: status.podIP',
    );
    expect(() => metadataFieldOf(pod, "spec.x['y']")).toThrow(
      `fieldPath "spec.x['y']" does not support subscript`,
    );
  });
});

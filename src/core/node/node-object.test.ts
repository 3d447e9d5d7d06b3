import { describe, expect, test } from 'vitest';
import { nodeSettings } from '../../../test/support/node-parts.ts';
import type { JsonObject } from '../../lib/json.ts';
import { newNode, reconciledNode, withRequiredLabels } from './node-object.ts';

const identity = { nodeName: 'n1', operatingSystem: 'linux', architecture: 'arm64' };
const ATTACH = 'volumes.kubernetes.io/controller-managed-attach-detach';

function labelsOf(node: JsonObject): JsonObject {
  return (node['metadata'] as JsonObject)['labels'] as JsonObject;
}

describe('a new Node', () => {
  test('has the labels, taints and the provider ID of the settings', () => {
    const taint = { key: 'example.com/new', effect: 'NoSchedule' } as const;
    const settings = nodeSettings({
      nodeLabels: { team: 'a', 'kubernetes.io/arch': 'mine' },
      registerWithTaints: [taint],
      providerID: 'cloud://1',
    });
    const node = newNode(identity, settings, {});
    expect(labelsOf(node)).toMatchObject({ team: 'a', 'kubernetes.io/arch': 'mine' });
    expect(node['spec']).toEqual({ taints: [taint], providerID: 'cloud://1' });
  });

  test('has no labels of an unknown platform, and no annotation about volumes it attaches itself', () => {
    const empty = { nodeName: 'n1', operatingSystem: '', architecture: '' };
    const node = newNode(empty, nodeSettings({ hasControllerAttachDetach: false }), {});
    expect(node['metadata']).toEqual({ name: 'n1', labels: { 'kubernetes.io/hostname': 'n1' } });
    expect(node['spec']).toEqual({});
  });
});

describe('a Node that exists', () => {
  const fresh = newNode(identity, nodeSettings({ nodeLabels: { team: 'a' } }), {
    capacity: { cpu: '2', 'hugepages-2Mi': '1Gi' },
    allocatable: { cpu: '2', 'hugepages-2Mi': '1Gi' },
  });

  test('is left alone where it is up to date', () => {
    expect(reconciledNode(fresh, fresh)).toBe(fresh);
  });

  test('gets well-known labels updated, and keeps foreign ones', () => {
    const metadata = {
      ...(fresh['metadata'] as JsonObject),
      labels: { ...labelsOf(fresh), 'kubernetes.io/os': 'plan9', team: 'b', zone: 'z' },
    };
    const right = reconciledNode({ ...fresh, metadata }, fresh);
    expect(labelsOf(right)).toMatchObject({ 'kubernetes.io/os': 'linux', team: 'b', zone: 'z' });
  });

  test('a well-known label that is set to empty is removed', () => {
    const wanted = newNode(identity, nodeSettings({ nodeLabels: { 'kubernetes.io/os': '' } }), {});
    expect(labelsOf(reconciledNode(fresh, wanted))).not.toHaveProperty(['kubernetes.io/os']);
  });

  test('has an annotation while its pods share the network of the machine', () => {
    const name = 'podkeep.dev/pod-network';
    const shared = newNode(identity, nodeSettings({ sharesNetwork: true }), {});
    expect(reconciledNode(fresh, shared)['metadata']).toHaveProperty(
      ['annotations', name],
      'shared',
    );
    expect(reconciledNode(shared, fresh)['metadata']).not.toHaveProperty(['annotations', name]);
  });

  test('gets the annotation about who attaches its volumes', () => {
    const own = newNode(identity, nodeSettings({ hasControllerAttachDetach: false }), {});
    const off = reconciledNode({ ...fresh, status: own['status'] ?? {} }, own);
    expect(off['metadata']).toHaveProperty('annotations', {});
    const on = reconciledNode(own, fresh);
    expect(on['metadata']).toHaveProperty(['annotations', ATTACH], 'true');
  });

  test('loses sizes of huge pages that the machine does not have, and nothing else', () => {
    const resources = { cpu: '4', 'hugepages-1Gi': '1Gi', 'example.com/gpu': '1' };
    const existing = {
      ...fresh,
      status: { capacity: resources, allocatable: resources, phase: '' },
    };
    const wanted = { cpu: '4', 'hugepages-2Mi': '1Gi', 'example.com/gpu': '1' };
    expect(reconciledNode(existing, fresh)['status']).toEqual({
      capacity: wanted,
      allocatable: wanted,
      phase: '',
    });
  });

  test('without any resources it gets the machine’s', () => {
    const { status: _none, ...bare } = fresh;
    expect(reconciledNode(bare, fresh)['status']).toEqual(fresh['status']);
  });

  test('gets the labels of its platform back when they were removed', () => {
    expect(withRequiredLabels(fresh, identity)).toBe(fresh);
    const bare = { metadata: { name: 'n1' } };
    expect(withRequiredLabels(bare, identity)).toEqual({
      metadata: {
        name: 'n1',
        labels: { 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'arm64' },
      },
    });
  });
});

import { expect, test } from 'vitest';
import { pod } from '../../../test/support/pods.ts';
import { silentLog } from '../../../test/support/silent-ports.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import type { Pod } from '../../api/pod.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { InformerRequest } from '../../ports/api/informer.ts';
import { startApiSource } from './api-source.ts';
import { PodConfig } from './pod-config.ts';

function harness() {
  const story: string[] = [];
  const uidOf = ({ metadata }: Pod): string => metadata.uid ?? '';
  const config = new PodConfig({
    clock: new VirtualClock(),
    log: silentLog,
    events: { record: () => {} },
    sources: ['api'],
    notify: ({ operation, pods }) => story.push([operation, ...pods.map(uidOf)].join(' ')),
  });
  let request: InformerRequest | undefined;
  let isStopped = false;
  const stop = startApiSource({
    nodeName: 'node1',
    config,
    startInformer: (asked) => {
      request = asked;
      return {
        hasSynced: false,
        get: () => undefined,
        list: () => [],
        stop: () => {
          isStopped = true;
        },
      };
    },
    seen: (one) => story.push(`seen ${uidOf(one)}`),
    gone: (one) => story.push(`gone ${uidOf(one)}`),
  });
  const { listed, added, updated, deleted } = request?.handlers ?? {};
  return { story, request, stop, isStopped: () => isStopped, listed, added, updated, deleted };
}

function object(name: string, traits?: Parameters<typeof pod>[1]): JsonObject {
  return JSON.parse(JSON.stringify(pod(name, traits))) as JsonObject;
}

test('the pods of this node, and no others, are watched', () => {
  const { request, stop, isStopped } = harness();
  expect(request).toMatchObject({
    path: '/api/v1/pods',
    fieldSelector: 'spec.nodeName=node1',
  });
  stop();
  expect(isStopped()).toBe(true);
});

test('the pod is passed to `seen` before its update and to `gone` after its removal (KL-57)', () => {
  const { story, listed, added, updated, deleted } = harness();
  listed?.([object('a')]);
  added?.(object('b'));
  updated?.(object('b'), object('b', { phase: 'Running' }));
  deleted?.(object('b'));
  expect(story).toEqual([
    'seen a',
    'ADD a',
    'seen b',
    'ADD b',
    'seen b',
    'RECONCILE b',
    'REMOVE b',
    'gone b',
  ]);
});

test('a second list removes what is missing from it', () => {
  const { story, listed } = harness();
  listed?.([object('a'), object('b')]);
  story.length = 0;
  listed?.([object('b'), object('c')]);
  expect(story).toEqual(['seen b', 'seen c', 'REMOVE a', 'ADD c', 'gone a']);
});

test('a node without pods counts as a source that has reported', () => {
  const { story, listed } = harness();
  listed?.([]);
  expect(story).toEqual(['ADD']);
});

test('objects that are no pods are ignored', () => {
  const { story, listed, added } = harness();
  listed?.([{ kind: 'Status' }]);
  added?.({ metadata: { uid: 'x' }, spec: {} });
  expect(story).toEqual(['ADD']);
});

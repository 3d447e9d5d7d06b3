import { describe, expect, test } from 'vitest';
import { kill } from '../../../test/support/pod-worker-events.ts';
import { pod } from '../../../test/support/pods.ts';
import { newsFrom, podWithoutUid, referenceOf } from './update-options.ts';
import type { NewsFacts, UpdatePodOptions } from './update-options.ts';

const web = pod('web', { uid: 'u1' });
const runningPod = { uid: 'u1', name: 'web', namespace: 'default' };
const facts: NewsFacts = { pod: (given) => given, mayRun: () => true, kill: () => kill(5) };

describe('what callers may say (PW-6)', () => {
  test('an update, with what only the driver knows', () => {
    const mirrorPod = pod('mirror');
    const options = { updateType: 'create', pod: web, mirrorPod, startedAtMs: 7 } as const;
    expect(newsFrom(options, facts)).toEqual({
      about: runningPod,
      news: {
        type: 'updated',
        updateType: 'create',
        pod: web,
        mirrorPod,
        startedAtMs: 7,
        mayRun: true,
      },
    });
  });

  test('a pod with the resources that it was given (E-3, PW-22)', () => {
    const resized = pod('web', { containers: 2 });
    const told = newsFrom({ updateType: 'sync', pod: web }, { ...facts, pod: () => resized });
    expect(told?.news).toMatchObject({ pod: resized });
    expect(told?.about.uid).toBe('u1');
  });

  test('a kill', () => {
    expect(newsFrom({ updateType: 'kill', pod: web }, facts)?.news).toMatchObject({
      type: 'killed',
      kill: { id: 5 },
    });
  });

  test('a kill of a pod that only the runtime knows', () => {
    expect(newsFrom({ updateType: 'kill', runningPod }, facts)).toEqual({
      about: runningPod,
      news: { type: 'killedInRuntime', runningPod, kill: kill(5), startedAtMs: null },
    });
  });

  test('anything else about such a pod does not compile, and is ignored (PW-10)', () => {
    // @ts-expect-error a pod without a spec can only be killed
    const nonsense: UpdatePodOptions = { updateType: 'update', runningPod };
    expect(newsFrom(nonsense, facts)).toBeNull();
  });

  test('if both are given, the spec counts (PW-11)', () => {
    const both: UpdatePodOptions = { updateType: 'kill', runningPod, pod: web };
    expect(newsFrom(both, facts)?.news.type).toBe('killed');
  });
});

test('a pod without a UID is refused by name, at the border', () => {
  const nameless = { metadata: { name: 'web', namespace: 'default' }, spec: { containers: [] } };
  expect(() => referenceOf(nameless)).toThrow(podWithoutUid({ name: 'default/web' }));
  expect(() => referenceOf({ ...nameless, metadata: { uid: '' } })).toThrow('has no metadata.uid');
});

import { describe, expect, test } from 'vitest';
import { kill } from '../../../test/support/pod-worker-events.ts';
import { pod } from '../../../test/support/pods.ts';
import { updateEventFrom, podWithoutUid, referenceOf } from './update-options.ts';
import type { UpdateFacts, UpdatePodOptions } from './update-options.ts';

const web = pod('web', { uid: 'u1' });
const runningPod = { uid: 'u1', name: 'web', namespace: 'default' };
const facts: UpdateFacts = { pod: (given) => given, mayRun: () => true, kill: () => kill(5) };

describe('what callers may pass (PW-6)', () => {
  test('an update, with the facts that only the driver knows', () => {
    const mirrorPod = pod('mirror');
    const options = { updateType: 'create', pod: web, mirrorPod, startedAtMs: 7 } as const;
    expect(updateEventFrom(options, facts)).toEqual({
      about: runningPod,
      event: {
        type: 'updated',
        updateType: 'create',
        pod: web,
        mirrorPod,
        startedAtMs: 7,
        mayRun: true,
      },
    });
  });

  test('a pod with its allocated resources (E-3, PW-22)', () => {
    const resized = pod('web', { containers: 2 });
    const request = updateEventFrom(
      { updateType: 'sync', pod: web },
      { ...facts, pod: () => resized },
    );
    expect(request?.event).toMatchObject({ pod: resized });
    expect(request?.about.uid).toBe('u1');
  });

  test('a kill', () => {
    expect(updateEventFrom({ updateType: 'kill', pod: web }, facts)?.event).toMatchObject({
      type: 'killed',
      kill: { id: 5 },
    });
  });

  test('a kill of a pod that only the runtime knows', () => {
    expect(updateEventFrom({ updateType: 'kill', runningPod }, facts)).toEqual({
      about: runningPod,
      event: { type: 'killedInRuntime', runningPod, kill: kill(5), startedAtMs: null },
    });
  });

  test('anything else about such a pod does not compile, and is ignored (PW-10)', () => {
    // @ts-expect-error a pod without a spec can only be killed
    const nonsense: UpdatePodOptions = { updateType: 'update', runningPod };
    expect(updateEventFrom(nonsense, facts)).toBeNull();
  });

  test('if both are given, the spec counts (PW-11)', () => {
    const both: UpdatePodOptions = { updateType: 'kill', runningPod, pod: web };
    expect(updateEventFrom(both, facts)?.event.type).toBe('killed');
  });
});

test('a pod without a UID is rejected by name', () => {
  const nameless = { metadata: { name: 'web', namespace: 'default' }, spec: { containers: [] } };
  expect(() => referenceOf(nameless)).toThrow(podWithoutUid({ name: 'default/web' }));
  expect(() => referenceOf({ ...nameless, metadata: { uid: '' } })).toThrow('has no metadata.uid');
});

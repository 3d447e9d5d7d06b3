import { describe, expect, test } from 'vitest';
import {
  kill,
  killed,
  killedInRuntime,
  outcome,
  updated,
} from '../../../test/support/pod-worker-events.ts';
import { pod } from '../../../test/support/pods.ts';
import type { RuntimeContainer, RuntimePod, RuntimeSandbox } from '../../api/runtime-pod.ts';
import { describeEnd, mayRun, requestFrom } from './event.ts';

const EMPTY: RuntimePod = { sandboxes: [], containers: [], ips: [] };

function seenWith(state: RuntimeContainer['state'], ready: boolean): RuntimePod {
  const container: RuntimeContainer = {
    id: 'runtime://1',
    name: 'c',
    state,
    restartCount: 0,
    image: 'i',
    imageRef: 'i',
    createdAt: '2030-01-02T03:04:05Z',
  };
  const sandbox: RuntimeSandbox = { id: 's', attempt: 0, ready, hostNetwork: false };
  return { sandboxes: [sandbox], containers: [container], ips: [] };
}

describe('PW-12: could containers of a pod run?', () => {
  test('not if the runtime does not have the pod', () => {
    expect(mayRun(EMPTY)).toBe(false);
  });

  test('anything could if the runtime cannot be read', () => {
    expect(mayRun(null)).toBe(true);
  });

  test.each([
    ['exited', false, false],
    ['running', false, true],
    ['exited', true, true],
    ['created', false, false],
  ] as const)('a container that is %s, a sandbox that is ready (%s): %s', (state, ready, may) => {
    expect(mayRun(seenWith(state, ready))).toBe(may);
  });
});

describe('PW-13: a kill from the runtime', () => {
  const event = killedInRuntime('u1', kill(1));

  test('has only the running pod if no spec is known', () => {
    const { update, runtimeOnly } = requestFrom(event);
    expect(update.subject).toEqual({ kind: 'runtimeOnly', runningPod: event.runningPod });
    expect(runtimeOnly).toBe(true);
  });

  test('takes the known spec, and still counts as one without', () => {
    const known = { kind: 'configured', pod: pod('u1'), mirrorPod: pod('mirror') } as const;
    const { update, runtimeOnly } = requestFrom(event, known);
    expect(update.subject).toEqual({ ...known, mirrorPod: null });
    expect(runtimeOnly).toBe(true);
  });
});

test('other events bring a spec', () => {
  const web = pod('web');
  const known = { kind: 'configured', pod: pod('old'), mirrorPod: null } as const;
  expect(requestFrom(updated(web, 'sync'), known)).toMatchObject({
    update: { type: 'sync', subject: { pod: web } },
    kill: null,
    runtimeOnly: false,
  });
  const by = kill(4, { evict: true });
  expect(requestFrom(killed(web, by), known)).toMatchObject({
    update: { type: 'kill', subject: { pod: web } },
    kill: by,
    runtimeOnly: false,
  });
});

test('the end of work is described with its reason', () => {
  expect(describeEnd('sync', outcome('done'))).toBe('the sync is done');
  expect(describeEnd('sync', outcome('terminal'))).toBe('the sync is done');
  expect(describeEnd('stop', outcome('cancelled'))).toBe('the stop was cancelled');
  expect(describeEnd('sync', outcome('networkNotReady'))).toBe('the sync failed: no network');
  expect(describeEnd('release', outcome('failed'))).toBe('the release failed: no luck');
});

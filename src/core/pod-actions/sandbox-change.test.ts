import { describe, expect, test } from 'vitest';
import type { RuntimeSandbox } from '../../api/runtime-pod.ts';
import { podOf } from '../../../test/support/pod-parts.ts';
import { runtimeOf, SANDBOX } from '../../../test/support/runtime-parts.ts';
import { sandboxChange } from './sandbox-change.ts';

const pod = podOf();
const hostPod = podOf({ hostNetwork: true });

function withSandboxes(...sandboxes: readonly RuntimeSandbox[]) {
  return runtimeOf([], { sandboxes });
}

describe('SM-118: a new sandbox is needed', () => {
  test('if there is none, and it is the first', () => {
    expect(sandboxChange(pod, withSandboxes())).toEqual({
      needed: true,
      attempt: 0,
      sandboxID: '',
    });
  });

  test('if the newest is not ready, even if an older one is', () => {
    const dead = { ...SANDBOX, id: 'sandbox-2', attempt: 1, ready: false };
    const expected = { needed: true, attempt: 2, sandboxID: 'sandbox-2' };
    expect(sandboxChange(pod, withSandboxes(dead))).toEqual(expected);
    expect(sandboxChange(pod, withSandboxes(dead, SANDBOX))).toEqual(expected);
  });

  test('if more than one is ready', () => {
    const newest = { ...SANDBOX, id: 'sandbox-2', attempt: 1 };
    expect(sandboxChange(pod, withSandboxes(newest, SANDBOX))).toEqual({
      needed: true,
      attempt: 2,
      sandboxID: 'sandbox-2',
    });
  });

  test('if it is in the wrong network, and then none is named', () => {
    const onHost = { ...SANDBOX, attempt: 3, hostNetwork: true };
    const expected = { needed: true, attempt: 4, sandboxID: '' };
    expect(sandboxChange(pod, withSandboxes(onHost))).toEqual(expected);
    const inPod = { ...SANDBOX, attempt: 3 };
    expect(sandboxChange(hostPod, withSandboxes(inPod))).toEqual(expected);
  });

  test('if the network gave it no address', () => {
    expect(sandboxChange(pod, withSandboxes({ ...SANDBOX, ip: '' }))).toEqual({
      needed: true,
      attempt: 1,
      sandboxID: SANDBOX.id,
    });
  });
});

describe('SM-118: no new sandbox is needed', () => {
  const kept = { needed: false, attempt: 2, sandboxID: SANDBOX.id };

  test('if the newest is ready and has an address; older ones that are dead do not matter', () => {
    const newest = { ...SANDBOX, attempt: 2 };
    const dead = { ...SANDBOX, id: 'sandbox-0', ready: false };
    expect(sandboxChange(pod, withSandboxes(newest, dead))).toEqual(kept);
  });

  test('if the runtime does not say whether it has an address', () => {
    const { ip: _, ...silent } = { ...SANDBOX, attempt: 2 };
    expect(sandboxChange(pod, withSandboxes(silent))).toEqual(kept);
  });

  test('if it is in the host’s network, where it needs no address', () => {
    const onHost = { ...SANDBOX, attempt: 2, hostNetwork: true, ip: '' };
    expect(sandboxChange(hostPod, withSandboxes(onHost))).toEqual(kept);
  });
});

import { expect, test } from 'vitest';
import { livePod } from '../../../../test/kubelet/runs/live-pod.ts';
import { VirtualClock } from '../../../../test/support/virtual-clock.ts';
import type { Credentials, ImageStore } from '../../../ports/runtime/image-store.ts';
import { ImageManager, type ImageManagerOptions } from './image-manager.ts';

const NEVER = new AbortController().signal;
const POD = livePod('web');

function harness(pull: ImageStore['pull'], options: Partial<ImageManagerOptions> = {}) {
  const recorded: string[] = [];
  const image = { ref: 'sha256:1', names: [], sizeBytes: 42, isPinned: false };
  const manager = new ImageManager({
    clock: new VirtualClock(),
    events: {
      record: (_pod, type, reason, message) => recorded.push(`${type} ${reason} ${message}`),
    },
    images: {
      find: () => Promise.resolve(image),
      pull,
      list: () => Promise.resolve([]),
      remove: () => Promise.resolve(),
      usage: () => Promise.resolve(null),
    },
    ...options,
  });
  const ensure = (name: string, credentials: readonly Credentials[] = []) =>
    manager.ensure(
      POD,
      { name: 'main', image: name, imagePullPolicy: 'Always' },
      { missing: [], credentialsFor: () => credentials },
      NEVER,
    );
  return { ensure, recorded };
}

test('credentials are tried one by one, and the first that the registry accepts counts', async () => {
  const tried: (string | undefined)[] = [];
  const { ensure, recorded } = harness((_image, credentials) => {
    tried.push(credentials?.username);
    return credentials?.username === 'right'
      ? Promise.resolve('sha256:1')
      : Promise.reject(new Error('denied'));
  });
  const users = ['wrong', 'right', 'never'].map((username) => ({ username }));
  expect(await ensure('a:1', users)).toBe('sha256:1');
  expect(tried).toEqual(['wrong', 'right']);
  expect(recorded.at(-1)).toBe(
    'Normal Pulled Successfully pulled image "a:1" in 0s (0s including waiting). Image size: 42 bytes.',
  );
});

test('if the registry accepts none, the error has each distinct answer once', async () => {
  const { ensure, recorded } = harness((_image, credentials) =>
    Promise.reject(new Error(credentials?.username === 'c' ? 'gone' : 'denied')),
  );
  const users = ['a', 'b', 'c'].map((username) => ({ username }));
  await expect(ensure('a:1', users)).rejects.toThrow('[denied, gone]');
  expect(recorded).toContain('Warning Failed Failed to pull image "a:1": [denied, gone]');
});

test('more pulls than the node allows fail, and wait for their back-off', async () => {
  const { ensure } = harness(() => Promise.resolve('sha256:1'), {
    registryPullQps: 1,
    registryBurst: 2,
  });
  await ensure('a:1');
  await ensure('b:1');
  await expect(ensure('c:1')).rejects.toMatchObject({
    reason: 'ErrImagePull',
    message: 'pull QPS exceeded',
  });
  await expect(ensure('c:1')).rejects.toMatchObject({
    reason: 'ImagePullBackOff',
    message: 'Back-off pulling image "c:1": ErrImagePull: pull QPS exceeded',
  });
});

test('an image that no registry has is not pulled, whatever the policy says', async () => {
  const { ensure, recorded } = harness(() => Promise.reject(new Error('nothing to pull')), {
    images: {
      find: () => Promise.resolve({ ref: 'host', names: [], sizeBytes: 0, isPinned: true }),
      pull: () => Promise.reject(new Error('nothing to pull')),
      isLocal: () => true,
      list: () => Promise.resolve([]),
      remove: () => Promise.resolve(),
      usage: () => Promise.resolve(null),
    },
  });
  expect(await ensure('busybox')).toBe('host');
  expect(recorded).toEqual([
    'Normal Pulled Container image "busybox" already present on machine and can be accessed by the pod',
  ]);
});

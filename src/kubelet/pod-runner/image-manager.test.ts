import { expect, test } from 'vitest';
import { livePod } from '../../../test/kubelet/runs/live-pod.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import type { Credentials, ImageStore } from '../../ports/runtime/image-store.ts';
import { ImageManager, type ImageManagerOptions } from './image-manager.ts';

const NEVER = new AbortController().signal;
const POD = livePod('web');

function stage(pull: ImageStore['pull'], options: Partial<ImageManagerOptions> = {}) {
  const told: string[] = [];
  const image = { ref: 'sha256:1', names: [], sizeBytes: 42, isPinned: false };
  const manager = new ImageManager({
    clock: new VirtualClock(),
    events: { record: (_pod, type, reason, message) => told.push(`${type} ${reason} ${message}`) },
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
  return { ensure, told };
}

test('credentials are tried one by one, and the first that is let in counts', async () => {
  const tried: (string | undefined)[] = [];
  const { ensure, told } = stage((_image, credentials) => {
    tried.push(credentials?.username);
    return credentials?.username === 'right'
      ? Promise.resolve('sha256:1')
      : Promise.reject(new Error('denied'));
  });
  const users = ['wrong', 'right', 'never'].map((username) => ({ username }));
  expect(await ensure('a:1', users)).toBe('sha256:1');
  expect(tried).toEqual(['wrong', 'right']);
  expect(told.at(-1)).toBe(
    'Normal Pulled Successfully pulled image "a:1" in 0s (0s including waiting). Image size: 42 bytes.',
  );
});

test('if none is let in, what each was told is told, and the same only once', async () => {
  const { ensure, told } = stage((_image, credentials) =>
    Promise.reject(new Error(credentials?.username === 'c' ? 'gone' : 'denied')),
  );
  const users = ['a', 'b', 'c'].map((username) => ({ username }));
  await expect(ensure('a:1', users)).rejects.toThrow('[denied, gone]');
  expect(told).toContain('Warning Failed Failed to pull image "a:1": [denied, gone]');
});

test('more pulls than the node allows fail, and wait for their back-off', async () => {
  const { ensure } = stage(() => Promise.resolve('sha256:1'), {
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

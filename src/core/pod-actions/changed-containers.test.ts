import { expect, test } from 'vitest';
import { livePod } from '../../../test/kubelet/runs/live-pod.ts';
import { changedContainers } from './changed-containers.ts';
import { containerHash } from '../pod/container-labels.ts';

const POD = livePod('web', { containers: [{ name: 'main', image: 'busy' }] });

function runtimeWith(image: string, state: 'running' | 'exited' = 'running') {
  const container = {
    id: 'x://0',
    name: 'main',
    state,
    restartCount: 0,
    image,
    imageRef: '',
    createdAt: '2026-01-02T03:04:05Z',
  };
  return { sandboxes: [], containers: [container], ips: [] };
}

test('a container from another image is changed, however its name is written', () => {
  const none = new Map<string, string>();
  expect(changedContainers(POD, runtimeWith('busy:2'), none)).toEqual(new Set(['x://0']));
  expect(changedContainers(POD, runtimeWith('docker.io/library/busy:latest'), none).size).toBe(0);
  expect(changedContainers(POD, runtimeWith('busy:2', 'exited'), none).size).toBe(0);
});

test('a name that cannot be compared is no reason to restart', () => {
  expect(changedContainers(POD, runtimeWith('sha256:abc//'), new Map()).size).toBe(0);
});

test('containers that podkeep created are compared by their hash', () => {
  const same = new Map([['x://0', containerHash({ name: 'main', image: 'busy' })]]);
  expect(changedContainers(POD, runtimeWith('whatever'), same).size).toBe(0);
  const other = new Map([['x://0', 'ffff']]);
  expect(changedContainers(POD, runtimeWith('busy'), other).size).toBe(1);
});

test('the hash on a kubelet’s container takes precedence over the runtime’s image name', () => {
  const image = 'sha256:0123';
  const made = (hash: string) => {
    const { containers, ...rest } = runtimeWith(image);
    return { ...rest, containers: containers.map((container) => ({ ...container, hash })) };
  };
  const hash = containerHash({ name: 'main', image: 'busy' });
  expect(changedContainers(POD, made(hash), new Map()).size).toBe(0);
  expect(changedContainers(POD, made('1'), new Map()).size).toBe(1);
});

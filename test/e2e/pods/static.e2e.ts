/** Static pods: manifests in a folder, and their mirrors in the API. */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { waitFor } from '../support/patience.ts';
import { podCluster } from '../support/pod-cluster.ts';
import { containerOf, isReady, LIVE, shellPod } from '../support/pod-view.ts';

const cluster = podCluster('static', { hasManifests: true });
const NAME = 'fixed-node-1';

/** Atomically, by a rename. */
function putManifest(word: string): void {
  const pod = shellPod({ name: 'fixed', script: `echo ${word}; ${LIVE}` });
  const draft = path.join(cluster.folder, 'draft');
  writeFileSync(draft, JSON.stringify(pod), { mode: 0o644 });
  renameSync(draft, path.join(cluster.manifests, 'fixed.json'));
}

test('a manifest is run, and has a mirror in the API', async () => {
  putManifest('first');
  const pod = await cluster.ready(NAME);
  expect(pod.metadata.annotations).toMatchObject({ 'kubernetes.io/config.source': 'file' });
  expect(pod.metadata.annotations?.['kubernetes.io/config.mirror']).toBeDefined();
  expect(pod.spec.nodeName).toBe('node-1');
  await cluster.logWith(NAME, 'first');
  expect(await cluster.kubectl(['exec', NAME, '--', 'echo', 'inside'])).toBe('inside\n');
});

test('a mirror that a user deletes comes back, and the containers keep running', async () => {
  const before = await cluster.ready(NAME);
  await cluster.kubectl(['delete', 'pod', NAME, '--wait=false']);
  const after = await cluster.podWhen(
    NAME,
    'to be back',
    (pod) => pod.metadata.uid !== before.metadata.uid && isReady(pod),
  );
  const [old, now] = [containerOf(before), containerOf(after)];
  expect(now).toMatchObject({ containerID: old?.containerID, restartCount: 0 });
});

test('a changed manifest replaces its pod', async () => {
  putManifest('second');
  await waitFor({ what: 'the second version to run', deadlineMs: 60_000 }, async () => {
    const { stdout } = await cluster.attempt(['logs', NAME]);
    return stdout === 'second\n' ? true : undefined;
  });
  expect(containerOf(await cluster.ready(NAME))?.restartCount).toBe(0);
});

test('an invalid manifest is skipped, and the others keep running', async () => {
  writeFileSync(path.join(cluster.manifests, 'broken.yaml'), 'kind: [', { mode: 0o644 });
  const other = shellPod({ name: 'other' });
  writeFileSync(path.join(cluster.manifests, 'other.json'), JSON.stringify(other), { mode: 0o644 });
  await cluster.ready('other-node-1');
  expect(isReady(await cluster.ready(NAME))).toBe(true);
});

test('a manifest that is removed takes its pod and the mirror with it', async () => {
  rmSync(path.join(cluster.manifests, 'fixed.json'));
  await cluster.gone(NAME);
  expect(await cluster.kubectl('get pods -o name')).toBe('pod/other-node-1\n');
});

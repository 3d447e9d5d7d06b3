/**
 * The scripts in pod-worker/: each is a story about a pod, and what the workers made of it.
 *
 * When one of them fails, run it again with UPDATE=1 and read the difference. Keep the new answers only
 * if you can say why each line changed.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { playPodWorkerScript } from '../support/pod-worker-script.ts';

const FOLDER = path.join(import.meta.dirname, 'pod-worker');

const STORIES = readdirSync(FOLDER).map((name) => [
  name.replace('.txt', '').replaceAll('-', ' '),
  name,
]);

test.each(STORIES)('%s', async (_, name = '') => {
  const file = path.join(FOLDER, name);
  const played = await playPodWorkerScript(readFileSync(file, 'utf8'));
  if (process.env['UPDATE']) writeFileSync(file, played);
  expect(played).toBe(readFileSync(file, 'utf8'));
});

test('a script with an unknown command does not play', async () => {
  await expect(playPodWorkerScript('dance web\n----\n')).rejects.toThrow('no such command: dance');
});

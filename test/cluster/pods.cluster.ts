/**
 * The tests of pods that `npm run test:e2e -- pods` runs on processes, run on containers: the same files,
 * on one node of a real cluster whose runtime is containerd.
 *
 * left-out.ts lists those that are about processes only. PODKEEP_CONTAINERD=1.6 uses the containerd
 * without events.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CONTAINERD_VERSIONS, type ContainerdVersion } from '../../scripts/cluster/cache-folder.ts';
import { runPodsIn } from '../e2e/support/pod-cluster.ts';
import { waitFor } from '../e2e/support/patience.ts';
import { shellPod } from '../e2e/support/pod-view.ts';
import { ContainerPods } from './support/container-pods.ts';
import { makeMachineImage } from './support/images/machine-image.ts';
import { pullFrom } from './support/images/mirror.ts';
import { Registry } from './support/images/registry.ts';
import { FILES_LEFT_OUT, TESTS_LEFT_OUT } from './support/left-out.ts';
import { harnessOf } from './support/cluster-harness.ts';

const PODS = path.join(import.meta.dirname, '../e2e/pods');
const ENDING = '.e2e.ts';

const harness = harnessOf('pods', chosenVersion());
let registry: Registry | undefined;
runPodsIn((name) => new ContainerPods(name, harness));

beforeAll(async () => {
  const { containerd } = harness;
  const layout = makeMachineImage(path.join(containerd.folder, 'machine'));
  registry = await Registry.start({ layout });
  pullFrom(registry, containerd);
  await pullOnce();
});

afterAll(() => registry?.stop());

const names = readdirSync(PODS)
  .filter((file) => file.endsWith(ENDING))
  .map((file) => file.slice(0, -ENDING.length));

for (const [name, reason] of Object.entries(FILES_LEFT_OUT)) {
  console.log(`skipped: ${name}: ${reason}`);
}

describe.each(names.filter((name) => !(name in FILES_LEFT_OUT)))('%s', async (name) => {
  const leftOut = TESTS_LEFT_OUT[name] ?? {};
  beforeEach(({ task, skip }) => {
    const reason = leftOut[task.name];
    if (reason === undefined) return;
    console.log(`skipped: ${name}: ${task.name}: ${reason}`);
    skip(reason);
  });
  await import(`../e2e/pods/${name}.e2e.ts`);
});

test('nothing is kept of deleted pods: no container, no log, no folder', async () => {
  let left: readonly string[] = [];
  const explain = (): string => left.join('\n');
  // Garbage is collected once a minute.
  await waitFor({ what: 'all garbage to be collected', deadlineMs: 100_000, explain }, () => {
    const containers = harness.containerd.ctr('containers', 'list', '--quiet').split('\n');
    const folders = ['node/pods', 'node/logs'].flatMap((name) => {
      const folder = path.join(harness.node.data, name);
      return readdirSync(folder).map((each) => path.join(folder, each));
    });
    left = [...containers.filter((id) => id !== ''), ...folders];
    return left.length === 0 ? true : undefined;
  });
  expect(left).toEqual([]);
});

function chosenVersion(): ContainerdVersion | undefined {
  const wanted = process.env['PODKEEP_CONTAINERD'];
  const found = CONTAINERD_VERSIONS.find((each) => each === wanted);
  if (wanted && !found) {
    throw new Error(`PODKEEP_CONTAINERD: ${wanted} is none of ${CONTAINERD_VERSIONS.join(', ')}`);
  }
  return found;
}

/** The image is large, and tests must not wait for a disk. */
async function pullOnce(): Promise<void> {
  const spec = { restartPolicy: 'Never' };
  await harness.apply(shellPod({ name: 'puller', script: 'node --version', spec }));
  await harness.over('puller');
  await harness.kubectl('delete pod puller');
}

test('every test that is left out exists', () => {
  expect(names).toEqual(expect.arrayContaining(Object.keys(FILES_LEFT_OUT)));
  for (const [name, tests] of Object.entries(TESTS_LEFT_OUT)) {
    const source = readFileSync(path.join(PODS, `${name}${ENDING}`), 'utf8');
    for (const each of Object.keys(tests)) expect(source).toContain(`test('${each}'`);
  }
});

/** `podkeep up` from its start to its end, with pods: around a command, stopped, killed, and again. */
import { afterEach, expect, test } from 'vitest';
import type { KubectlOutput } from '../support/kubectl.ts';
import { PodCluster } from '../support/pod-cluster.ts';
import { containerOf, isReady, LIVE, shellPod } from '../support/pod-view.ts';

let cluster: PodCluster;
const MARK = 'a-long-life';
const POD = shellPod({ name: 'lives', script: `: ${MARK}; echo begun; ${LIVE}` });

afterEach(() => cluster.remove());

async function upAround(...command: readonly string[]): Promise<KubectlOutput> {
  cluster = new PodCluster('around');
  return cluster.run(cluster.podkeep('up', ...(await cluster.upOptions()), '--', ...command));
}

/** The processes of this machine that are the container. */
function pidsOf(mark: string): readonly number[] {
  return cluster.processesWith(`: ${mark};`);
}

test('podkeep up ends with the code of its command', async () => {
  const { code, stdout } = await upAround('sh', '-c', 'kubectl get nodes --no-headers; exit 42');
  expect(stdout).toMatch(/^node-1 +Ready /);
  expect(code).toBe(42);
  await cluster.nothingIsLeft();
});

test('podkeep up ends with the code of the signal that ended its command', async () => {
  const { code } = await upAround('sh', '-c', 'kill -KILL $$');
  expect(code).toBe(137);
});

test('a missing command is reported, and nothing is left', async () => {
  const { code, stderr } = await upAround('no-such-program');
  expect(code).toBe(1);
  expect(stderr).toContain('no-such-program');
  await cluster.nothingIsLeft();
});

test('pods of a command that has ended are stopped, and nothing is left', async () => {
  const script =
    'kubectl run lives --image=sh --command -- sleep 600 && kubectl wait --for=condition=Ready pod/lives --timeout=60s';
  const { code, stdout } = await upAround('sh', '-c', script);
  expect(stdout).toContain('condition met');
  expect(code).toBe(0);
  await cluster.nothingIsLeft();
});

test('Ctrl-C stops the pods and leaves nothing; they run again with the next podkeep', async () => {
  cluster = new PodCluster('interrupted');
  await cluster.start();
  await cluster.apply(POD);
  await cluster.ready('lives');
  expect(pidsOf(MARK).length).toBeGreaterThan(0);
  await cluster.stop('SIGINT');
  await cluster.nothingIsLeft();
  await cluster.start();
  const pod = await cluster.podWhen(
    'lives',
    'to run again',
    (each) => isReady(each) && containerOf(each)?.restartCount === 1,
  );
  expect(pod.status.phase).toBe('Running');
});

test('with --keep-pods they keep running, the next podkeep adopts them, and podkeep down ends them', async () => {
  cluster = new PodCluster('kept');
  await cluster.start('--keep-pods');
  await cluster.apply(POD);
  const before = containerOf(await cluster.ready('lives'));
  const pids = pidsOf(MARK);
  await cluster.stop();
  expect(pidsOf(MARK)).toEqual(pids);
  await cluster.start('--keep-pods');
  const after = containerOf(await cluster.ready('lives'));
  expect(after).toMatchObject({ containerID: before?.containerID, restartCount: 0 });
  expect(pidsOf(MARK)).toEqual(pids);
  expect(await cluster.kubectl('logs lives')).toBe('begun\n');
  await cluster.stop();
  const { code, stdout } = await cluster.run(cluster.podkeep('down'));
  expect(stdout).toContain('pod default/lives');
  expect(code).toBe(0);
  await cluster.nothingIsLeft();
});

test('pods outlive a podkeep that is killed, and are adopted by the next', async () => {
  cluster = new PodCluster('killed');
  await cluster.start();
  await cluster.apply(POD);
  const before = containerOf(await cluster.ready('lives'));
  const pids = pidsOf(MARK);
  await cluster.stop('SIGKILL');
  expect(pidsOf(MARK)).toEqual(pids);
  await cluster.start();
  const pod = await cluster.ready('lives');
  expect(containerOf(pod)).toMatchObject({ containerID: before?.containerID, restartCount: 0 });
  expect(pidsOf(MARK)).toEqual(pids);
  await cluster.kubectl('delete pod lives');
});

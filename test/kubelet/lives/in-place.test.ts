/**
 * Changes to a pod that goes on: resizes in place (E-2 to E-4) and restarts of all containers
 * (E-7).
 */
import { expect, test } from 'vitest';
import type { Container, Pod } from '../../../src/api/pod.ts';
import { scriptsOf } from '../../../src/runtimes/simulated/script.ts';
import { livePod } from '../runs/live-pod.ts';
import { RunStage } from '../runs/run-stage.ts';

function resourcesOf(cpu: string, memory: string) {
  return { limits: { cpu, memory }, requests: { cpu, memory } };
}

function resize(stage: RunStage, pod: Pod, containers: readonly Container[]): void {
  const current = stage.api.findByUid(pod.metadata.uid ?? '');
  const generation = (current?.metadata.generation ?? 0) + 1;
  stage.api.put({
    ...pod,
    ...(current?.status && { status: current.status }),
    metadata: { ...pod.metadata, generation },
    spec: { ...pod.spec, containers },
  });
}

const SMALL: Container = { name: 'main', image: 'busy:1', resources: resourcesOf('100m', '64Mi') };
const LARGE: Container = { ...SMALL, resources: resourcesOf('200m', '128Mi') };

test('a resize reaches the running container, and its end is told', async () => {
  const stage = new RunStage();
  const pod = livePod('web', { containers: [SMALL] });
  stage.create(pod);
  await stage.pass(2000);
  expect(stage.machine.newest('uid-of-web', 'main')?.resources).toMatchObject({
    cpuQuota: 10_000,
    memoryLimitBytes: 64 * 1024 ** 2,
  });
  resize(stage, pod, [LARGE]);
  // No round of looking at all pods is needed for it.
  await stage.pass(2000);
  const container = stage.machine.newest('uid-of-web', 'main');
  expect(container?.resources).toMatchObject({
    cpuQuota: 20_000,
    memoryLimitBytes: 128 * 1024 ** 2,
  });
  expect(container?.options.config.attempt).toBe(0);
  const completed = stage.events.find(({ reason }) => reason === 'ResizeCompleted');
  expect(completed?.message).toBe(
    `Pod resize completed: ${JSON.stringify({ containers: [{ name: 'main', resources: LARGE.resources }], generation: 2 })}`,
  );
  expect(stage.actuated.containerResources('uid-of-web', 'main')).toEqual(LARGE.resources);
  const [told] = stage.statusOf('web')?.containerStatuses ?? [];
  expect(told?.resources?.limits).toEqual(LARGE.resources?.limits);
});

test('a new pod counts as given what it was granted, until its containers get something else', async () => {
  const stage = new RunStage({ scripts: scriptsOf({ containers: { first: [{ lifeMs: 9000 }] } }) });
  const initContainers = [{ name: 'first', image: 'busy:1' }];
  const pod = livePod('web', { containers: [SMALL], initContainers });
  stage.create(pod);
  await stage.pass(2000);
  const given = (): unknown => stage.actuated.containerResources('uid-of-web', 'main');
  expect(stage.machine.newest('uid-of-web', 'main')).toBeUndefined();
  expect(given()).toEqual(SMALL.resources);
  resize(stage, pod, [LARGE]);
  await stage.pass(2000);
  expect(given()).toEqual(SMALL.resources);
  await stage.pass(10_000);
  expect(given()).toEqual(LARGE.resources);
  expect(stage.machine.newest('uid-of-web', 'main')?.resources.cpuQuota).toBe(20_000);
});

test('a resize that fails is told by condition and event, and tried again (KL-6)', async () => {
  let fails = true;
  const stage = new RunStage({
    faults: (what) => (what === 'updateResources' && fails ? { error: 'busy' } : undefined),
  });
  const pod = livePod('web', { containers: [SMALL] });
  stage.create(pod);
  await stage.pass(2000);
  resize(stage, pod, [LARGE]);
  await stage.pass(1000);
  const condition = stage
    .statusOf('web')
    ?.conditions?.find(({ type }) => type === 'PodResizeInProgress');
  expect(condition).toMatchObject({ status: 'True', reason: 'Error', message: 'busy' });
  expect(stage.events.filter(({ reason }) => reason === 'ResizeError')).toHaveLength(1);
  fails = false;
  await stage.pass(120_000);
  expect(stage.machine.newest('uid-of-web', 'main')?.resources.cpuQuota).toBe(20_000);
});

test('a resize that asks for a restart gets one', async () => {
  const resizePolicy = [{ resourceName: 'memory', restartPolicy: 'RestartContainer' as const }];
  const stage = new RunStage();
  const pod = livePod('web', { containers: [{ ...SMALL, resizePolicy }] });
  stage.create(pod);
  await stage.pass(2000);
  resize(stage, pod, [{ ...LARGE, resizePolicy }]);
  await stage.pass(2000);
  expect(stage.statusOf('web')?.containerStatuses?.[0]).toMatchObject({ restartCount: 1 });
  expect(stage.machine.newest('uid-of-web', 'main')?.resources.cpuQuota).toBe(20_000);
});

test('a rule restarts all containers in place, with their counts, and the pod goes on (E-7)', async () => {
  const containers: readonly Container[] = [
    {
      name: 'main',
      image: 'busy:1',
      restartPolicy: 'Never',
      restartPolicyRules: [
        { action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } },
      ],
    },
    { name: 'other', image: 'busy:1' },
  ];
  const stage = new RunStage({
    scripts: scriptsOf({ containers: { main: [{ lifeMs: 5000, exitCode: 42 }, {}] } }),
  });
  stage.create(livePod('web', { containers }));
  await stage.pass(4000);
  const sandbox = stage.machine.inspect('uid-of-web').sandboxes[0]?.id;
  await stage.pass(10_000);
  const { phase, containerStatuses } = stage.statusOf('web') ?? {};
  expect(phase).toBe('Running');
  expect(containerStatuses?.map(({ restartCount }) => restartCount)).toEqual([1, 1]);
  expect(stage.machine.inspect('uid-of-web').sandboxes[0]?.id).toBe(sandbox);
  const conditions = (stage.history.get('web') ?? []).map(
    ({ status }) =>
      status.conditions?.find(({ type }) => type === 'AllContainersRestarting')?.status,
  );
  expect(conditions).toContain('True');
  expect(conditions.at(-1)).toBe('False');
});

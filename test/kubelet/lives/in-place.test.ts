/**
 * Changes to a running pod: resizes in place (E-2 to E-4) and restarts of all containers (E-7).
 */
import { expect, test } from 'vitest';
import type { Container, Pod } from '../../../src/api/pod.ts';
import { scriptsOf } from '../../../src/runtimes/simulated/script.ts';
import { livePod } from '../runs/live-pod.ts';
import { RunHarness } from '../runs/run-harness.ts';

function resourcesOf(cpu: string, memory: string) {
  return { limits: { cpu, memory }, requests: { cpu, memory } };
}

function resize(harness: RunHarness, pod: Pod, containers: readonly Container[]): void {
  const current = harness.api.findByUid(pod.metadata.uid ?? '');
  const generation = (current?.metadata.generation ?? 0) + 1;
  harness.api.put({
    ...pod,
    ...(current?.status && { status: current.status }),
    metadata: { ...pod.metadata, generation },
    spec: { ...pod.spec, containers },
  });
}

const SMALL: Container = { name: 'main', image: 'busy:1', resources: resourcesOf('100m', '64Mi') };
const LARGE: Container = { ...SMALL, resources: resourcesOf('200m', '128Mi') };

test('a resize reaches the running container, and its end is reported', async () => {
  const harness = new RunHarness();
  const pod = livePod('web', { containers: [SMALL] });
  harness.create(pod);
  await harness.pass(2000);
  expect(harness.machine.newest('uid-of-web', 'main')?.resources).toMatchObject({
    cpuQuota: 10_000,
    memoryLimitBytes: 64 * 1024 ** 2,
  });
  resize(harness, pod, [LARGE]);
  // It does not need a resync of all pods.
  await harness.pass(2000);
  const container = harness.machine.newest('uid-of-web', 'main');
  expect(container?.resources).toMatchObject({
    cpuQuota: 20_000,
    memoryLimitBytes: 128 * 1024 ** 2,
  });
  expect(container?.options.config.attempt).toBe(0);
  const completed = harness.events.find(({ reason }) => reason === 'ResizeCompleted');
  expect(completed?.message).toBe(
    `Pod resize completed: ${JSON.stringify({ containers: [{ name: 'main', resources: LARGE.resources }], generation: 2 })}`,
  );
  expect(harness.actuated.containerResources('uid-of-web', 'main')).toEqual(LARGE.resources);
  const [notified] = harness.statusOf('web')?.containerStatuses ?? [];
  expect(notified?.resources?.limits).toEqual(LARGE.resources?.limits);
});

test('the actuated resources of a new pod are its allocated ones, until its containers get others', async () => {
  const harness = new RunHarness({
    scripts: scriptsOf({ containers: { first: [{ lifeMs: 9000 }] } }),
  });
  const initContainers = [{ name: 'first', image: 'busy:1' }];
  const pod = livePod('web', { containers: [SMALL], initContainers });
  harness.create(pod);
  await harness.pass(2000);
  const given = (): unknown => harness.actuated.containerResources('uid-of-web', 'main');
  expect(harness.machine.newest('uid-of-web', 'main')).toBeUndefined();
  expect(given()).toEqual(SMALL.resources);
  resize(harness, pod, [LARGE]);
  await harness.pass(2000);
  expect(given()).toEqual(SMALL.resources);
  await harness.pass(10_000);
  expect(given()).toEqual(LARGE.resources);
  expect(harness.machine.newest('uid-of-web', 'main')?.resources.cpuQuota).toBe(20_000);
});

test('a resize that fails is reported by condition and event, and retried (KL-6)', async () => {
  let fails = true;
  const harness = new RunHarness({
    faults: (what) => (what === 'updateResources' && fails ? { error: 'busy' } : undefined),
  });
  const pod = livePod('web', { containers: [SMALL] });
  harness.create(pod);
  await harness.pass(2000);
  resize(harness, pod, [LARGE]);
  await harness.pass(1000);
  const condition = harness
    .statusOf('web')
    ?.conditions?.find(({ type }) => type === 'PodResizeInProgress');
  expect(condition).toMatchObject({ status: 'True', reason: 'Error', message: 'busy' });
  expect(harness.events.filter(({ reason }) => reason === 'ResizeError')).toHaveLength(1);
  fails = false;
  await harness.pass(120_000);
  expect(harness.machine.newest('uid-of-web', 'main')?.resources.cpuQuota).toBe(20_000);
});

test('a resize that asks for a restart gets one', async () => {
  const resizePolicy = [{ resourceName: 'memory', restartPolicy: 'RestartContainer' as const }];
  const harness = new RunHarness();
  const pod = livePod('web', { containers: [{ ...SMALL, resizePolicy }] });
  harness.create(pod);
  await harness.pass(2000);
  resize(harness, pod, [{ ...LARGE, resizePolicy }]);
  await harness.pass(2000);
  expect(harness.statusOf('web')?.containerStatuses?.[0]).toMatchObject({ restartCount: 1 });
  expect(harness.machine.newest('uid-of-web', 'main')?.resources.cpuQuota).toBe(20_000);
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
  const harness = new RunHarness({
    scripts: scriptsOf({ containers: { main: [{ lifeMs: 5000, exitCode: 42 }, {}] } }),
  });
  harness.create(livePod('web', { containers }));
  await harness.pass(4000);
  const sandbox = harness.machine.inspect('uid-of-web').sandboxes[0]?.id;
  await harness.pass(10_000);
  const { phase, containerStatuses } = harness.statusOf('web') ?? {};
  expect(phase).toBe('Running');
  expect(containerStatuses?.map(({ restartCount }) => restartCount)).toEqual([1, 1]);
  expect(harness.machine.inspect('uid-of-web').sandboxes[0]?.id).toBe(sandbox);
  const conditions = (harness.history.get('web') ?? []).map(
    ({ status }) =>
      status.conditions?.find(({ type }) => type === 'AllContainersRestarting')?.status,
  );
  expect(conditions).toContain('True');
  expect(conditions.at(-1)).toBe('False');
});

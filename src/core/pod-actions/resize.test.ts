import { describe, expect, test } from 'vitest';
import type { Container, ContainerResizePolicy, PodSpec } from '../../api/pod.ts';
import type { ResourceRequirements } from '../../api/resources.ts';
import type { RuntimeContainer } from '../../api/runtime-pod.ts';
import { deepFreeze } from '../../../test/support/deep-freeze.ts';
import { container, podOf, sidecar } from '../../../test/support/pod-parts.ts';
import { exited, observed, runtimeOf } from '../../../test/support/runtime-parts.ts';
import { actionsView } from '../../../test/support/views.ts';
import type { PodActionsView } from './plan.ts';
import { podActions } from './pod-actions.ts';

const Mi = 1024n * 1024n;

/** Containers by name, each with what is applied to it now. */
type Applied = Readonly<Record<string, ResourceRequirements>>;

function actuated(containers: Applied, pod?: ResourceRequirements): PodActionsView['actuated'] {
  return { containers: new Map(Object.entries(containers)), pod };
}

function plan(
  spec: Partial<PodSpec>,
  applied: PodActionsView['actuated'],
  records?: readonly RuntimeContainer[],
) {
  const pod = podOf(spec);
  const up = [...(pod.spec.initContainers ?? []), ...pod.spec.containers].map(({ name }) =>
    observed(name, 'running'),
  );
  const view = actionsView(pod, runtimeOf(records ?? up), { actuated: applied });
  return podActions(deepFreeze(view));
}

function wants(name: string, resources: ResourceRequirements, fields: Partial<Container> = {}) {
  return container(name, { resources, ...fields });
}

const limits = (cpu: string, memory: string): ResourceRequirements => ({ limits: { cpu, memory } });

describe('E-4: allocated resources are compared with actual ones', () => {
  test('no difference, no update, whatever the spelling', () => {
    const containers = [wants('c', limits('1', '1Gi'))];
    const { containersToUpdate, updatePodResources } = plan(
      { containers },
      actuated({ c: limits('1000m', '1024Mi') }),
    );
    expect(containersToUpdate).toEqual({ cpu: [], memory: [] });
    expect(updatePodResources).toBe(false);
  });

  test('a difference is an update, with both sides in the numbers that the runtime gets', () => {
    const containers = [
      wants('c', {
        requests: { cpu: '100m', memory: '64Mi' },
        limits: { cpu: '2', memory: '1Gi' },
      }),
    ];
    const applied = actuated({ c: { requests: { cpu: '100m' }, limits: { cpu: '1' } } });
    const update = {
      id: 'test://c',
      name: 'c',
      desired: {
        cpuLimit: 2000n,
        cpuRequest: 100n,
        memoryLimit: 1024n * Mi,
        memoryRequest: 64n * Mi,
      },
      current: { cpuLimit: 1000n, cpuRequest: 100n, memoryLimit: 0n, memoryRequest: 0n },
    };
    expect(plan({ containers }, applied)).toMatchObject({
      containersToUpdate: { cpu: [update], memory: [update] },
      containersToKill: [],
      containersToStart: [],
      killPod: false,
    });
  });

  test('only the resource that differs is updated, even if only its request does', () => {
    const containers = [wants('c', { requests: { memory: '64Mi' }, limits: { cpu: '1' } })];
    const { containersToUpdate } = plan(
      { containers },
      actuated({ c: { requests: { memory: '32Mi' }, limits: { cpu: '1' } } }),
    );
    expect(containersToUpdate.cpu).toEqual([]);
    expect(containersToUpdate.memory).toHaveLength(1);
  });

  test('a container without actual resources is updated', () => {
    const containers = [wants('c', limits('1', '1Gi'))];
    const { containersToUpdate } = plan({ containers }, actuated({}));
    expect(containersToUpdate.cpu).toHaveLength(1);
    expect(containersToUpdate.memory).toHaveLength(1);
  });

  test('a runtime that cannot resize in place is never asked to', () => {
    const containers = [wants('c', limits('1', '1Gi'))];
    const spec = { containers, resources: limits('9', '9Gi') };
    expect(plan(spec, undefined, [exited('c', 1)]).updatePodResources).toBe(false);
    expect(plan(spec, undefined)).toMatchObject({
      killPod: false,
      containersToUpdate: { cpu: [], memory: [] },
      updatePodResources: false,
      updatePodLevelResources: false,
    });
  });

  test('other resources are not compared', () => {
    const containers = [wants('c', { limits: { 'example.com/gpu': '1' } })];
    expect(plan({ containers }, actuated({})).containersToUpdate).toEqual({ cpu: [], memory: [] });
  });
});

describe('shrinking comes before growing', () => {
  const order = (...sizes: readonly (readonly [string, string, string])[]) => {
    const containers = sizes.map(([name, , to]) => wants(name, limits(to, to)));
    const applied = Object.fromEntries(sizes.map(([name, from]) => [name, limits(from, from)]));
    const { containersToUpdate } = plan({ containers }, actuated(applied));
    expect(containersToUpdate.memory.map(({ name }) => name)).toEqual(
      containersToUpdate.cpu.map(({ name }) => name),
    );
    return containersToUpdate.cpu.map(({ name }) => name);
  };

  test('those that grow stay in order, those that shrink come first, reversed', () => {
    expect(order(['a', '1', '2'], ['b', '1', '2'])).toEqual(['a', 'b']);
    expect(order(['a', '1', '2'], ['b', '2', '1'])).toEqual(['b', 'a']);
    expect(order(['a', '2', '1'], ['b', '1', '2'], ['c', '2', '1'])).toEqual(['c', 'a', 'b']);
  });

  test('the limit decides; the request only if the limit stays', () => {
    const both = (limit: string, request: string): ResourceRequirements => ({
      limits: { cpu: limit },
      requests: { cpu: request },
    });
    const names = (a: ResourceRequirements, b: ResourceRequirements) => {
      const containers = [wants('a', a), wants('b', b)];
      const applied = actuated({ a: both('4', '2'), b: both('4', '2') });
      return plan({ containers }, applied).containersToUpdate.cpu.map(({ name }) => name);
    };
    expect(names(both('5', '1'), both('3', '3'))).toEqual(['b', 'a']);
    expect(names(both('4', '3'), both('4', '1'))).toEqual(['b', 'a']);
    expect(names(both('4', '1'), both('4', '3'))).toEqual(['a', 'b']);
  });

  test('a removed limit counts as zero, and so as shrinking', () => {
    const containers = [wants('a', limits('2', '2Gi')), wants('b', {})];
    const applied = actuated({ a: limits('1', '1Gi'), b: limits('1', '1Gi') });
    const { containersToUpdate } = plan({ containers }, applied);
    expect(containersToUpdate.cpu.map(({ name }) => name)).toEqual(['b', 'a']);
  });
});

describe('resize policies', () => {
  const policy = (
    resourceName: string,
    restartPolicy: ContainerResizePolicy['restartPolicy'],
  ): ContainerResizePolicy => ({ resourceName, restartPolicy });
  const before = actuated({ c: limits('1', '1Gi') });
  const restartForMemory = [
    policy('cpu', 'NotRequired'),
    policy('memory', 'RestartContainer'),
  ] as const;

  const resized = (to: ResourceRequirements, resizePolicy?: readonly ContainerResizePolicy[]) =>
    plan({ containers: [wants('c', to, resizePolicy && { resizePolicy })] }, before);

  test('a resource that asks for it restarts the container with its new resources', () => {
    expect(resized(limits('1', '2Gi'), restartForMemory)).toMatchObject({
      killPod: false,
      containersToStart: [0],
      containersToKill: [
        { id: 'test://c', name: 'c', message: 'Container c resize requires restart' },
      ],
      containersToUpdate: { cpu: [], memory: [] },
      updatePodResources: true,
    });
  });

  test('if the other resource is resized as well, the restart covers both', () => {
    expect(resized(limits('2', '2Gi'), restartForMemory)).toMatchObject({
      containersToStart: [0],
      containersToUpdate: { cpu: [], memory: [] },
    });
  });

  test('a resource that does not ask for it is updated while the container runs', () => {
    const { containersToStart, containersToUpdate, updatePodResources } = resized(
      limits('2', '1Gi'),
      restartForMemory,
    );
    expect(containersToStart).toEqual([]);
    expect(containersToUpdate.cpu).toHaveLength(1);
    expect(updatePodResources).toBe(false);
  });

  test('without a policy nothing restarts', () => {
    expect(resized(limits('2', '2Gi')).containersToKill).toEqual([]);
    expect(resized(limits('2', '2Gi'), []).containersToKill).toEqual([]);
  });

  test('the first policy for a resource counts', () => {
    const twice = [policy('cpu', 'NotRequired'), policy('cpu', 'RestartContainer')];
    expect(resized(limits('2', '1Gi'), twice).containersToKill).toEqual([]);
  });
});

describe('init containers', () => {
  const restart = [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }] as const;

  test('a sidecar that runs is updated, or restarted, like a regular container', () => {
    const updated = plan(
      { initContainers: [sidecar('s', { resources: limits('2', '1Gi') })] },
      actuated({ s: limits('1', '1Gi') }),
    );
    expect(updated.containersToUpdate.cpu.map(({ name }) => name)).toEqual(['s']);
    const restarted = plan(
      {
        initContainers: [sidecar('s', { resources: limits('2', '1Gi'), resizePolicy: restart })],
      },
      actuated({ s: limits('1', '1Gi') }),
    );
    expect(restarted).toMatchObject({
      initContainersToStart: [0],
      containersToStart: [],
      containersToKill: [{ id: 'test://s', message: 'Container s resize requires restart' }],
      updatePodResources: true,
    });
  });

  test('a regular one that runs is updated too', () => {
    const { containersToUpdate } = plan(
      { initContainers: [wants('i', limits('2', '1Gi'))] },
      actuated({ i: limits('1', '1Gi') }),
      [observed('i', 'running')],
    );
    expect(containersToUpdate.cpu.map(({ name }) => name)).toEqual(['i']);
  });

  test.each(['startupProbe', 'livenessProbe'] as const)(
    'a sidecar whose %s has not spoken is left alone',
    (probe) => {
      const probed = sidecar('s', { resources: limits('2', '1Gi'), [probe]: {} });
      const { containersToUpdate } = plan(
        { initContainers: [probed] },
        actuated({ s: limits('1', '1Gi') }),
      );
      expect(containersToUpdate.cpu).toEqual([]);
    },
  );
});

describe('the pod’s own limits follow its containers', () => {
  test('if one is about to start with other resources than were applied last', () => {
    const spec = { containers: [wants('c', limits('2', '1Gi'))] };
    const applied = actuated({ c: limits('1', '1Gi') });
    expect(plan(spec, applied, [exited('c', 1)]).updatePodResources).toBe(true);
    const same = actuated({ c: limits('2', '1Gi') });
    expect(plan(spec, same, [exited('c', 1)]).updatePodResources).toBe(false);
  });

  test('an init container too', () => {
    const spec = { initContainers: [wants('i', limits('2', '1Gi'))] };
    expect(plan(spec, actuated({}), []).updatePodResources).toBe(true);
    expect(plan(spec, actuated({ i: limits('2', '1Gi') }), []).updatePodResources).toBe(false);
  });

  test('not for an update in place: the update does that itself', () => {
    const spec = { containers: [wants('c', limits('2', '1Gi'))] };
    expect(plan(spec, actuated({ c: limits('1', '1Gi') })).updatePodResources).toBe(false);
  });
});

describe('resources of the pod as a whole', () => {
  test('a change of them is planned separately', () => {
    const spec = { resources: limits('2', '2Gi') };
    const pod = limits('1', '2Gi');
    expect(plan(spec, actuated({}, pod)).updatePodLevelResources).toBe(true);
    expect(plan(spec, actuated({}, limits('2', '2Gi'))).updatePodLevelResources).toBe(false);
    expect(plan({}, actuated({})).updatePodLevelResources).toBe(false);
  });

  test('then it does not matter whether containers start with others', () => {
    const spec = { resources: limits('2', '2Gi'), containers: [wants('c', limits('1', '1Gi'))] };
    expect(plan(spec, actuated({}), [exited('c', 1)])).toMatchObject({
      updatePodLevelResources: true,
      updatePodResources: false,
    });
  });

  test('limit a container that has no limit of its own', () => {
    const spec = {
      resources: limits('2', '2Gi'),
      containers: [wants('c', { requests: { cpu: '1' } })],
    };
    const applied = actuated({ c: { requests: { cpu: '1' } } }, limits('1', '1Gi'));
    const { containersToUpdate } = plan(spec, applied);
    expect(containersToUpdate.cpu).toMatchObject([
      { desired: { cpuLimit: 2000n }, current: { cpuLimit: 1000n } },
    ]);
    expect(containersToUpdate.memory).toMatchObject([
      { desired: { memoryLimit: 2048n * Mi }, current: { memoryLimit: 1024n * Mi } },
    ]);
  });

  test('do not affect one that has its own', () => {
    const own = limits('1', '1Gi');
    const spec = { resources: limits('2', '2Gi'), containers: [wants('c', own)] };
    const applied = actuated({ c: own }, limits('1', '1Gi'));
    expect(plan(spec, applied).containersToUpdate).toEqual({ cpu: [], memory: [] });
  });
});

import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Pod } from '../../api/pod.ts';
import { assert } from '../../lib/assert.ts';
import { admit } from './admission.ts';
import type { AdmissionView } from './admission-view.ts';
import { OtherPods } from './other-pods.ts';
import { rejectionStatus } from './rejection.ts';
import { safeSysctls, sysctlAllowlist } from './sysctls.ts';

const NODE = {
  metadata: { name: 'n1', labels: { disk: 'ssd', gen: '7' } },
  spec: { taints: [{ key: 'maintenance', effect: 'NoExecute' }] },
};
const TOLERANT = { tolerations: [{ operator: 'Exists' }] };

function podWith(spec: object, metadata: object = {}, status?: object): Pod {
  return {
    metadata: { name: 'p', uid: 'p', ...metadata },
    spec: { containers: [{ name: 'c' }], ...TOLERANT, ...spec },
    ...(status && { status }),
  };
}

const asking = (requests: object, more: object = {}, name = 'p'): Pod =>
  podWith({ containers: [{ name: 'c', resources: { requests } }], ...more }, { uid: name, name });

type Change = Partial<Omit<AdmissionView, 'others'>> & { readonly others?: readonly Pod[] };

function view(pod: Pod, { others, ...more }: Change = {}): AdmissionView {
  return {
    pod,
    others: new OtherPods(others),
    node: NODE,
    allocatable: { cpu: '2', memory: '4Gi', 'ephemeral-storage': '10Gi', pods: '3', 'x.io/gpu': 2 },
    pressures: [],
    platform: {
      os: 'linux',
      appArmorFault: 'AppArmor is not enabled on the host',
      sysctls: sysctlAllowlist([...safeSysctls('linux', '6.1.0'), 'net.ipv6.*', 'kernel.msg*']),
      declaredFeatures: new Set(['RestartAllContainersOnContainerExits']),
    },
    ...more,
  };
}

const reasonOf = (pod: Pod, more?: Change): string | undefined =>
  admit(view(pod, more)).rejection?.reason;
const messageOf = (pod: Pod, more?: Change): string | undefined =>
  admit(view(pod, more)).rejection?.message;

describe('the recorded rejections (KL-62)', () => {
  const file = path.join(
    import.meta.dirname,
    '../../../test/kubelet/recordings/kubelet-v1.36.jsonl',
  );
  const recordings = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Recording)
    .filter(({ case: name }) => name.startsWith('rejected-'));

  interface Recording {
    readonly case: string;
    readonly pod: Pod;
    readonly history: readonly { readonly status: object }[];
    readonly events: readonly { readonly reason: string; readonly message: string }[];
  }

  test('there are some', () => {
    expect(recordings).toHaveLength(2);
  });

  test.each(recordings)('$case', ({ pod, history, events }) => {
    const node = { metadata: { name: 'go-node' } };
    const { rejection } = admit(view(pod, { node }));
    assert(rejection !== null, 'it is turned away');
    expect(rejection).toEqual({ reason: events[0]?.reason, message: events[0]?.message });
    // Generation and start time are the status manager's.
    expect(history.at(-1)?.status).toEqual({
      ...rejectionStatus(pod, rejection),
      observedGeneration: 1,
      startTime: '<time>',
    });
  });
});

describe('resources', () => {
  test('the allocated resources of the other pods count, each rounded up', () => {
    const others = [asking({ cpu: '1500100u' }, {}, 'a'), asking({ cpu: '1m' }, {}, 'b')];
    expect(messageOf(asking({ cpu: '499m' }), { others })).toBe(
      "Node didn't have enough resource: cpu, requested: 499, used: 1502, capacity: 2000",
    );
    expect(reasonOf(asking({ cpu: '498m' }), { others })).toBeUndefined();
  });

  test.each([
    ['OutOfmemory', { memory: '5Gi' }],
    ['OutOfephemeral-storage', { 'ephemeral-storage': '11Gi' }],
    ['OutOfx.io/gpu', { 'x.io/gpu': 3 }],
    ['OutOfhugepages-2Mi', { 'hugepages-2Mi': '2Mi' }],
    [undefined, { 'x.io/gpu': 2 }],
    [undefined, { 'y.io/unknown': 9 }],
    [undefined, { 'requests.y.io/x': 9 }],
  ])('%s for %j', (reason, requests) => {
    expect(reasonOf(asking(requests))).toBe(reason);
  });

  test('a resource that a claim stands for is not counted', () => {
    const requestMappings = [{ containerName: 'c', resourceName: 'x.io/gpu' }];
    const claimed = {
      ...asking({ 'x.io/gpu': 9 }),
      status: { extendedResourceClaimStatus: { requestMappings } },
    };
    expect(reasonOf(claimed)).toBeUndefined();
  });

  test('the number of pods is limited', () => {
    const others = ['a', 'b', 'c'].map((name) => asking({}, {}, name));
    expect(messageOf(asking({}), { others })).toBe(
      "Node didn't have enough resource: pods, requested: 1, used: 3, capacity: 3",
    );
  });

  test('a lack of resources is reported before anything else', () => {
    expect(reasonOf(asking({ cpu: '9' }, { nodeSelector: { no: 'such' } }))).toBe('OutOfcpu');
  });

  test('a pod that fits still fits when another one leaves', () => {
    const pods = fc.array(
      fc.record({ cpu: fc.nat(900), memory: fc.nat(900) }).map((amounts, index = 0) => ({
        amounts,
        index,
      })),
      { maxLength: 5 },
    );
    fc.assert(
      fc.property(pods, fc.nat(900), fc.nat(4), (drawn, cpu, leaver) => {
        const others = drawn.map(({ amounts }, index) =>
          asking({ cpu: `${amounts.cpu}m`, memory: `${amounts.memory}Mi` }, {}, `p${index}`),
        );
        const pod = asking({ cpu: `${cpu}m` });
        fc.pre(reasonOf(pod, { others }) === undefined);
        const fewer = others.filter((_, index) => index !== leaver);
        expect(reasonOf(pod, { others: fewer })).toBeUndefined();
      }),
    );
  });
});

describe('place', () => {
  const required = (...nodeSelectorTerms: object[]) => ({
    affinity: {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
    },
  });
  const label = (key: string, operator: string, ...values: string[]) => ({
    matchExpressions: [{ key, operator, values }],
  });
  const field = (operator: string, ...values: string[]) => ({
    matchFields: [{ key: 'metadata.name', operator, values }],
  });

  test.each<[string, object, boolean]>([
    ['a label that it has', { nodeSelector: { disk: 'ssd' } }, true],
    ['a label of the prototype', { nodeSelector: { constructor: 'x' } }, false],
    [
      'its system, though no label says so',
      { nodeSelector: { 'kubernetes.io/os': 'linux' } },
      true,
    ],
    ['In', required(label('disk', 'In', 'hdd', 'ssd')), true],
    ['Gt', required(label('gen', 'Gt', '6')), true],
    ['Lt of the same', required(label('gen', 'Lt', '7')), false],
    ['an unknown operator', required(label('gen', 'Near', '7')), false],
    ['its name', required(field('In', 'n1')), true],
    ['another name', required(field('NotIn', 'n1')), false],
    ['two names at once', required(field('In', 'n1', 'n2')), false],
    ['one of two terms', required(label('zone', 'Exists'), field('In', 'n1')), true],
    ['a term that says nothing', required({}), false],
  ])('%s: %#', (_, spec, fits) => {
    expect(reasonOf(podWith(spec))).toBe(fits ? undefined : 'NodeAffinity');
  });

  test('a pod of another node is rejected', () => {
    expect(messageOf(podWith({ nodeName: 'n2' }))).toBe(
      "Predicate NodeName failed: node(s) didn't match the requested node name",
    );
  });

  const port = (hostPort: number, more: object = {}): object => ({
    containers: [{ name: 'c', ports: [{ containerPort: 1, hostPort, ...more }] }],
  });
  test.each<[object, object, boolean]>([
    [port(80), port(80), false],
    [port(80), port(81), true],
    [port(80), port(80, { protocol: 'UDP' }), true],
    [port(80, { hostIP: '10.0.0.1' }), port(80), false],
    [port(80, { hostIP: '10.0.0.1' }), port(80, { hostIP: '10.0.0.2' }), true],
    [port(0), port(0), true],
  ])('%j beside %j', (one, other, fits) => {
    const others = [podWith(other, { uid: 'o' })];
    expect(reasonOf(podWith(one), { others })).toBe(fits ? undefined : 'NodePorts');
  });

  test('only NoExecute is enforced, and not for static pods', () => {
    const pod = podWith({ tolerations: [] });
    expect(messageOf(pod)).toBe(
      "Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate",
    );
    const annotations = { 'kubernetes.io/config.source': 'file' };
    expect(reasonOf(podWith({ tolerations: [] }, { annotations }))).toBeUndefined();
    const node = { ...NODE, spec: { taints: [{ key: 'x', effect: 'NoSchedule' }] } };
    expect(reasonOf(pod, { node })).toBeUndefined();
  });
});

describe('what the machine offers', () => {
  test.each<[string, Pod]>([
    [
      'PodOSSelectorNodeLabelDoesNotMatch',
      podWith({}, { labels: { 'kubernetes.io/os': 'windows' } }),
    ],
    ['PodOSNotSupported', podWith({ os: { name: 'windows' } })],
    [
      'SupplementalGroupsPolicyNotSupported',
      podWith({ securityContext: { supplementalGroupsPolicy: 'Strict' } }),
    ],
    // E-18: an ordinary handler, which rejects the pod.
    ['AppArmor', podWith({ securityContext: { appArmorProfile: { type: 'RuntimeDefault' } } })],
    [
      'AppArmor',
      podWith(
        {},
        { annotations: { 'container.apparmor.security.beta.kubernetes.io/c': 'runtime/default' } },
      ),
    ],
    ['PodFeatureUnsupported', podWith({ hostNetwork: true, hostUsers: false })],
  ])('%s', (reason, pod) => {
    expect(reasonOf(pod)).toBe(reason);
  });

  test('AppArmor is not checked again for a pod that runs already', () => {
    const spec = { securityContext: { appArmorProfile: { type: 'RuntimeDefault' } } };
    expect(reasonOf(podWith(spec, {}, { phase: 'Running' }))).toBeUndefined();
  });

  test('resources of the pod as a whole need Linux', () => {
    const pod = podWith({ resources: { requests: { cpu: '1' } } });
    expect(reasonOf(pod)).toBeUndefined();
    const { platform } = view(pod);
    expect(messageOf(pod, { platform: { ...platform, os: 'darwin' } })).toBe(
      'pod-level resources are not supported on the node',
    );
  });

  test('without a node every pod is rejected', () => {
    expect(admit(view(podWith({}), { node: null })).rejection).toEqual({
      reason: 'InvalidNodeInfo',
      message: 'Kubelet cannot get node info.',
    });
  });
});

describe('sysctls', () => {
  const setting = (name: string, more: object = {}): Pod =>
    podWith({ securityContext: { sysctls: [{ name, value: '1' }] }, ...more });

  test.each<[string, object, string | undefined]>([
    ['net.ipv4.tcp_syncookies', {}, undefined],
    ['net/ipv4/tcp_syncookies', {}, undefined],
    ['net.ipv6.conf.all.x', {}, undefined],
    ['kernel.msgmax', {}, undefined],
    ['kernel.panic', {}, 'forbidden sysctl: "kernel.panic" not allowlisted'],
    [
      'net.ipv4.tcp_syncookies',
      { hostNetwork: true },
      'forbidden sysctl: "net.ipv4.tcp_syncookies" not allowed with host Net enabled',
    ],
    [
      'kernel.shm_rmid_forced',
      { hostIPC: true },
      'forbidden sysctl: "kernel.shm_rmid_forced" not allowed with host IPC enabled',
    ],
  ])('%s with %j', (name, spec, message) => {
    expect(messageOf(setting(name, spec))).toBe(message);
  });

  test('an old kernel has fewer that are safe, another system has none', () => {
    expect(safeSysctls('linux', '4.5.0')).toHaveLength(9);
    expect(safeSysctls('linux', '6.18.5-x')).toHaveLength(12);
    expect(safeSysctls('darwin', '6.1')).toEqual([]);
  });

  test('a sysctl of the whole machine cannot be allowed', () => {
    expect(() => sysctlAllowlist(['kernel.panic'])).toThrow(/not namespaced/);
  });
});

describe('pressure', () => {
  test('a node under memory pressure rejects best-effort pods', () => {
    const pressures = ['MemoryPressure'];
    expect(admit(view(podWith({ tolerations: [] }), { pressures })).rejection).toEqual({
      reason: 'Evicted',
      message: 'The node had condition: [MemoryPressure]. ',
    });
    expect(reasonOf(asking({ memory: '1Mi' }), { pressures })).toBeUndefined();
    expect(reasonOf(podWith({}), { pressures })).toBeUndefined();
  });

  test('other pressures reject all but critical pods', () => {
    const pressures = ['MemoryPressure', 'DiskPressure'];
    expect(messageOf(asking({ memory: '1Mi' }), { pressures })).toBe(
      'The node had condition: [MemoryPressure DiskPressure]. ',
    );
    expect(reasonOf(podWith({ priority: 2e9 }), { pressures })).toBeUndefined();
  });
});

describe('critical pods', () => {
  const critical = (requests: object, more: object = {}): Pod =>
    asking(requests, { priority: 2_000_000_000, ...more });
  const victimsOf = (pod: Pod, others: readonly Pod[]): readonly (string | undefined)[] => {
    const decision = admit(view(pod, { others }));
    return decision.rejection ? [] : decision.victims.map(({ metadata }) => metadata.name);
  };

  test('no pod is preempted if the resources suffice', () => {
    expect(victimsOf(critical({ cpu: '1' }), [asking({ cpu: '1' }, {}, 'a')])).toEqual([]);
  });

  test('only the pod that comes closest is preempted', () => {
    const others = [asking({ cpu: '300m' }, {}, 'small'), asking({ cpu: '1700m' }, {}, 'large')];
    expect(victimsOf(critical({ cpu: '200m' }), others)).toEqual(['small']);
    expect(victimsOf(critical({ cpu: '1' }), others)).toEqual(['large']);
  });

  test('a guaranteed pod is preempted last', () => {
    const resources = { cpu: '1', memory: '1Mi' };
    const guaranteed = podWith(
      { containers: [{ name: 'c', resources: { requests: resources, limits: resources } }] },
      { uid: 'g', name: 'g' },
    );
    const others = [guaranteed, asking({ cpu: '1' }, {}, 'b')];
    expect(victimsOf(critical({ cpu: '1' }), others)).toEqual(['b']);
    expect(victimsOf(critical({ cpu: '2' }), others)).toEqual(['b', 'g']);
  });

  test('an obstacle that preemption cannot remove is reported, and no pod is preempted', () => {
    const others = [asking({ cpu: '2' }, {}, 'a')];
    expect(reasonOf(critical({ cpu: '1' }, { nodeName: 'n2' }), { others })).toBe('NodeName');
    const confined = { securityContext: { appArmorProfile: { type: 'RuntimeDefault' } } };
    expect(reasonOf(critical({ cpu: '1' }, confined), { others })).toBe('AppArmor');
  });

  test('a preemption that cannot free enough is an unexpected error', () => {
    expect(admit(view(critical({ cpu: '3' }))).rejection).toEqual({
      reason: 'UnexpectedAdmissionError',
      message:
        'Unexpected error while attempting to recover from admission failure: preemption: error ' +
        'finding a set of pods to preempt: no set of running pods found to reclaim resources: ' +
        '[(res: cpu, q: 1000), ]',
    });
  });

  test('when the victims have gone, the pod fits', () => {
    const amounts = fc.record({ cpu: fc.nat(700), memory: fc.nat(1500) });
    fc.assert(
      fc.property(fc.array(amounts, { maxLength: 3 }), amounts, (drawn, wanted) => {
        const list = ({ cpu, memory }: { cpu: number; memory: number }) => ({
          cpu: `${cpu}m`,
          memory: `${memory}Mi`,
        });
        const others = drawn.map((one, index) => asking(list(one), {}, `p${index}`));
        const pod = critical(list(wanted));
        const decision = admit(view(pod, { others }));
        assert(decision.rejection === null, 'it is let in');
        const { victims } = decision;
        const left = others.filter((other) => !victims.includes(other));
        expect(admit(view(pod, { others: left }))).toEqual({ rejection: null, victims: [] });
      }),
    );
  });
});

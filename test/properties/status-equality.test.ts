/** Properties of the comparison of statuses (SM-25), whatever they contain. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ContainerStatus, PodCondition, PodStatus } from '../../src/api/pod.ts';
import { isOwned, isShared } from '../../src/core/pod-status/condition-ownership.ts';
import { isStatusEqual } from '../../src/core/pod-status/status-equality.ts';
import { PROPERTY, statuses } from '../support/arbitraries.ts';
import { condition, ended, LATER } from '../support/pod-parts.ts';

type Edit = (status: PodStatus) => PodStatus;

const isOurs = ({ type }: PodCondition) => isOwned(type) || isShared(type);

function editConditions(
  edit: (conditions: readonly PodCondition[]) => readonly PodCondition[],
): Edit {
  return (status) => ({ ...status, conditions: edit(status.conditions ?? []) });
}

function editEachCondition(edit: (each: PodCondition) => PodCondition): Edit {
  return editConditions((conditions) => conditions.map((each) => edit(each)));
}

/** Says the same in another form, or changes what is not ours. */
const HARMLESS: Readonly<Record<string, Edit>> = {
  'a condition of others more': editConditions((list) => [condition('example.com/new'), ...list]),
  'no conditions of others': editConditions((list) => list.filter(isOurs)),
  'conditions turned round': editConditions((list) => list.toReversed()),
  'conditions dated anew': editEachCondition((each) => ({
    ...each,
    lastTransitionTime: LATER,
    lastProbeTime: LATER,
    observedGeneration: 99,
  })),
  'empty words spelled out': editEachCondition((each) => ({ reason: '', message: '', ...each })),
  'claims by others': (status) => ({
    ...status,
    resourceClaimStatuses: [{ name: 'other' }],
    extendedResourceClaimStatus: { resourceClaimName: 'other' },
    nodeAllocatableResourceClaimStatuses: [{ name: 'other' }],
  }),
  'empty lists spelled out': (status) => ({
    conditions: [],
    podIPs: [],
    hostIPs: [],
    containerStatuses: [],
    initContainerStatuses: [],
    ephemeralContainerStatuses: [],
    allocatedResources: {},
    reason: '',
    ...status,
  }),
  'zeros spelled out': (status) => ({
    ...status,
    containerStatuses: (status.containerStatuses ?? []).map((each) => ({
      ready: false,
      restartCount: 0,
      state: {},
      lastState: {},
      ...each,
    })),
  }),
};

function editFirst(
  list: 'containerStatuses' | 'initContainerStatuses' | 'ephemeralContainerStatuses',
  edit: (status: ContainerStatus) => ContainerStatus,
): Edit {
  return (status) => {
    const [first = { name: 'new' }, ...others] = status[list] ?? [];
    return { ...status, [list]: [edit(first), ...others] };
  };
}

const other = (text: string | undefined): string => `${text ?? ''}x`;

/** Each changes something of a container for certain. */
const CONTAINER_EDITS: Readonly<Record<string, (status: ContainerStatus) => ContainerStatus>> = {
  name: (each) => ({ ...each, name: other(each.name) }),
  ready: (each) => ({ ...each, ready: !each.ready }),
  started: (each) => ({ ...each, started: each.started !== true }),
  'restart count': (each) => ({ ...each, restartCount: (each.restartCount ?? 0) + 1 }),
  image: (each) => ({ ...each, image: other(each.image) }),
  'image ID': (each) => ({ ...each, imageID: other(each.imageID) }),
  'container ID': (each) => ({ ...each, containerID: other(each.containerID) }),
  state: (each) => ({ ...each, state: ended(99) }),
  'last state': (each) => ({ ...each, lastState: ended(99) }),
  resources: (each) => ({ ...each, resources: { limits: { cpu: '77' } } }),
};

/** Each changes something of ours for certain. */
const HARMFUL: Readonly<Record<string, Edit>> = {
  phase: (status) => ({ ...status, phase: status.phase === 'Running' ? 'Pending' : 'Running' }),
  reason: (status) => ({ ...status, reason: other(status.reason) }),
  message: (status) => ({ ...status, message: other(status.message) }),
  generation: (status) => ({
    ...status,
    observedGeneration: (status.observedGeneration ?? 0) + 1,
  }),
  hostIP: (status) => ({ ...status, hostIP: other(status.hostIP) }),
  podIP: (status) => ({ ...status, podIP: other(status.podIP) }),
  podIPs: (status) => ({ ...status, podIPs: [...(status.podIPs ?? []), { ip: 'fd00::9' }] }),
  hostIPs: (status) => ({ ...status, hostIPs: [...(status.hostIPs ?? []), { ip: 'fd00::9' }] }),
  'start time': (status) => ({ ...status, startTime: LATER }),
  'class of service': (status) => ({ ...status, qosClass: 'BestEffort' }),
  'what is granted': (status) => ({ ...status, allocatedResources: { cpu: '77' } }),
  resources: (status) => ({ ...status, resources: { requests: { cpu: '77' } } }),
  'a container more': (status) => ({
    ...status,
    containerStatuses: [...(status.containerStatuses ?? []), { name: 'z' }],
  }),
  'our condition more': editConditions((list) => [
    ...list.filter(({ type }) => type !== 'Ready'),
    ...(list.some(({ type }) => type === 'Ready') ? [] : [condition('Ready')]),
  ]),
  'the shared condition': editConditions((list) => [
    ...list.filter(({ type }) => type !== 'DisruptionTarget'),
    ...(list.some(({ type }) => type === 'DisruptionTarget')
      ? []
      : [condition('DisruptionTarget')]),
  ]),
  ...Object.fromEntries(
    Object.entries(CONTAINER_EDITS).flatMap(([name, edit]) => [
      [`${name} of a container`, editFirst('containerStatuses', edit)],
      [`${name} of an init container`, editFirst('initContainerStatuses', edit)],
      [`${name} of an ephemeral container`, editFirst('ephemeralContainerStatuses', edit)],
    ]),
  ),
};

const editsOf = (edits: Readonly<Record<string, Edit>>) =>
  fc.constantFrom(...Object.keys(edits)).map((name) => [name, edits[name]] as const);

/** A status and some that were made from it by a few edits, harmless ones more often. */
const families = fc
  .tuple(
    statuses,
    fc.array(
      fc.array(fc.oneof(editsOf(HARMLESS), editsOf(HARMLESS), editsOf(HARMFUL)), {
        maxLength: 2,
      }),
      { minLength: 3, maxLength: 3 },
    ),
  )
  .map(([status, histories]) =>
    histories.map((history) => history.reduce((now, [, edit]) => edit?.(now) ?? now, status)),
  );

describe('equality is an equivalence', () => {
  test('it is reflexive: a status equals its copy', () => {
    fc.assert(
      fc.property(statuses, (status) => {
        expect(isStatusEqual(status, structuredClone(status))).toBe(true);
      }),
      PROPERTY,
    );
  });

  test('it is symmetric', () => {
    fc.assert(
      fc.property(families, ([a = {}, b = {}]) => {
        expect(isStatusEqual(a, b)).toBe(isStatusEqual(b, a));
      }),
      PROPERTY,
    );
  });

  test('it is transitive', () => {
    fc.assert(
      fc.property(families, ([a = {}, b = {}, c = {}]) => {
        const known = isStatusEqual(a, b) && isStatusEqual(b, c);
        expect(!known || isStatusEqual(a, c)).toBe(true);
      }),
      PROPERTY,
    );
  });
});

describe('changes that do not count', () => {
  test.each(Object.entries(HARMLESS))('%s', (_name, edit) => {
    fc.assert(
      fc.property(statuses, (status) => {
        expect(isStatusEqual(status, edit(status))).toBe(true);
      }),
      { numRuns: Math.ceil(PROPERTY.numRuns / 4) },
    );
  });
});

describe('changes that count', () => {
  test.each(Object.entries(HARMFUL))('%s', (_name, edit) => {
    fc.assert(
      fc.property(statuses, (status) => {
        expect(isStatusEqual(status, edit(status))).toBe(false);
      }),
      { numRuns: Math.ceil(PROPERTY.numRuns / 10) },
    );
  });

  test('status, reason or message of any condition that is ours', () => {
    const edits: readonly ((each: PodCondition) => PodCondition)[] = [
      (each) => ({ ...each, status: each.status === 'True' ? 'False' : 'True' }),
      (each) => ({ ...each, reason: other(each.reason) }),
      (each) => ({ ...each, message: other(each.message) }),
    ];
    fc.assert(
      fc.property(statuses, fc.constantFrom(...edits), fc.nat(), (status, edit, choice) => {
        const { conditions = [] } = status;
        const ours = conditions.filter(isOurs);
        fc.pre(ours.length > 0);
        const chosen = ours[choice % ours.length];
        const changed = conditions.map((each) => (each === chosen ? edit(each) : each));
        expect(isStatusEqual(status, { ...status, conditions: changed })).toBe(false);
      }),
      PROPERTY,
    );
  });
});

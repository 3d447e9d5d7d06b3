/**
 * The parts that pods and their statuses are made of, for tests: everything has a default, so that
 * a test spells out only what it is about.
 */
import type { ObjectMeta } from '../../src/api/meta.ts';
import type {
  ConditionStatus,
  Container,
  ContainerRestartRule,
  ContainerState,
  ContainerStatus,
  Pod,
  PodCondition,
  PodSpec,
  PodStatus,
} from '../../src/api/pod.ts';

/** When tests happen, and some times around it. */
export const NOW = '2026-01-02T03:04:05Z';
export const EARLIER = '2026-01-02T03:00:00Z';
export const LATER = '2026-01-02T04:00:00Z';

const CONFIG_SOURCE = 'kubernetes.io/config.source';

/** A pod of one container `c`, unless the spec says otherwise. */
export function podOf(
  spec: Partial<PodSpec> = {},
  rest: { readonly metadata?: Partial<ObjectMeta>; readonly status?: PodStatus } = {},
): Pod {
  return {
    metadata: { name: 'web', namespace: 'default', uid: 'uid-1', ...rest.metadata },
    spec: { containers: [container('c')], ...spec },
    ...(rest.status && { status: rest.status }),
  };
}

export function staticPodOf(spec: Partial<PodSpec> = {}, status?: PodStatus): Pod {
  return podOf(spec, {
    metadata: { annotations: { [CONFIG_SOURCE]: 'file' } },
    ...(status && { status }),
  });
}

export function container(name: string, fields: Partial<Container> = {}): Container {
  return { name, image: 'app:1', ...fields };
}

/** An init container that keeps running (E-5). */
export function sidecar(name: string, fields: Partial<Container> = {}): Container {
  return container(name, { ...fields, restartPolicy: 'Always' });
}

/** A rule for the exit codes given. */
export function restartRule(
  action: ContainerRestartRule['action'],
  operator: 'In' | 'NotIn',
  ...values: readonly number[]
): ContainerRestartRule {
  return { action, exitCodes: { operator, values } };
}

export function running(name: string, fields: Partial<ContainerStatus> = {}): ContainerStatus {
  return { name, state: { running: { startedAt: EARLIER } }, ...fields };
}

export function waiting(name: string, fields: Partial<ContainerStatus> = {}): ContainerStatus {
  return { name, state: { waiting: { reason: 'ContainerCreating' } }, ...fields };
}

export function terminated(
  name: string,
  exitCode: number,
  fields: Partial<ContainerStatus> = {},
): ContainerStatus {
  return { name, state: ended(exitCode), ...fields };
}

/** The state of a container that has terminated; `lastState` has it too. */
export function ended(exitCode: number, reason?: string): ContainerState {
  return { terminated: { exitCode, ...(reason !== undefined && { reason }) } };
}

export function condition(
  type: string,
  status: ConditionStatus = 'True',
  fields: Partial<PodCondition> = {},
): PodCondition {
  return { type, status, ...fields };
}

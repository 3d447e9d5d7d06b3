/** What the tests read of a pod, and the small pods that they create. */
import type { JsonObject } from '../../../src/lib/json.ts';

export interface PodView {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
  readonly spec: { readonly nodeName?: string; readonly containers: readonly JsonObject[] };
  readonly status: {
    readonly phase?: string;
    readonly reason?: string;
    readonly message?: string;
    readonly podIP?: string;
    readonly resize?: string;
    readonly conditions?: readonly ConditionView[];
    readonly containerStatuses?: readonly ContainerView[];
    readonly initContainerStatuses?: readonly ContainerView[];
    readonly ephemeralContainerStatuses?: readonly ContainerView[];
  };
}

export interface ConditionView {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface ContainerView {
  readonly name: string;
  readonly ready: boolean;
  readonly started?: boolean;
  readonly restartCount: number;
  readonly containerID?: string;
  readonly resources?: JsonObject;
  readonly state: StateView;
  readonly lastState: StateView;
}

export interface StateView {
  readonly running?: { readonly startedAt: string };
  readonly waiting?: { readonly reason: string; readonly message?: string };
  readonly terminated?: EndView;
}

export interface EndView {
  readonly exitCode: number;
  readonly signal?: number;
  readonly reason: string;
  readonly message?: string;
  readonly startedAt: string;
  readonly finishedAt: string;
}

export interface ShellPod {
  readonly name: string;
  readonly script?: string;
  /** Joins the fields of the one container. */
  readonly container?: JsonObject;
  /** Joins the fields of the spec. */
  readonly spec?: JsonObject;
  readonly metadata?: JsonObject;
}

/** Sleeps, but exits immediately when asked to. */
export const LIVE = 'trap "exit 0" TERM; while :; do sleep 0.1; done';

/** A pod of one shell with a grace period of one second. */
export function shellPod({ name, script = LIVE, container, spec, metadata }: ShellPod): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, ...metadata },
    spec: {
      terminationGracePeriodSeconds: 1,
      containers: [{ ...shell('main', script), ...container }],
      ...spec,
    },
  };
}

export function shell(name: string, script = LIVE): JsonObject {
  return { name, image: 'sh', command: ['sh', '-c', script] };
}

/** The status of the container, init container or ephemeral container `name`. */
export function containerOf({ status }: PodView, name = 'main'): ContainerView | undefined {
  const { containerStatuses, initContainerStatuses, ephemeralContainerStatuses } = status;
  const kinds = [containerStatuses, initContainerStatuses, ephemeralContainerStatuses];
  return kinds.flatMap((kind) => kind ?? []).find((each) => each.name === name);
}

export function conditionOf({ status }: PodView, type: string): ConditionView | undefined {
  return status.conditions?.find((each) => each.type === type);
}

export function isReady(pod: PodView): boolean {
  return conditionOf(pod, 'Ready')?.status === 'True';
}

export function isOver({ status }: PodView): boolean {
  return status.phase === 'Succeeded' || status.phase === 'Failed';
}

/** Pods as these tests see them. */
export interface Ended {
  readonly exitCode: number;
  readonly reason: string;
}

export interface ContainerView {
  readonly name: string;
  readonly restartCount: number;
  readonly ready: boolean;
  readonly state: {
    readonly running?: object;
    readonly waiting?: object;
    readonly terminated?: Ended;
  };
  readonly lastState: { readonly terminated?: Ended };
}

export interface PodView {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
    readonly deletionGracePeriodSeconds?: number;
    readonly finalizers?: readonly string[];
  };
  readonly status: {
    readonly phase: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly initContainerStatuses?: readonly ContainerView[];
    readonly containerStatuses?: readonly ContainerView[];
  };
}

export function containersOf({ status }: PodView): readonly ContainerView[] {
  return [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
}

export function isReady({ status }: PodView): boolean {
  return status.conditions?.some((c) => c.type === 'Ready' && c.status === 'True') ?? false;
}

/** Containers of a static pod know the UID of its manifest; its mirror has another. */
export function uidOf({ metadata }: PodView): string {
  return metadata.annotations?.['kubernetes.io/config.mirror'] ?? metadata.uid;
}

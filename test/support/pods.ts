/** Pods for tests: as small as they can be, with what the test is about spelled out. */
import type { Pod, PodPhase } from '../../src/api/pod.ts';

export interface PodTraits {
  readonly uid?: string;
  readonly namespace?: string;
  /** From a manifest on this machine. */
  readonly static?: boolean;
  readonly phase?: PodPhase;
  /** The pod's own grace period, in its spec. */
  readonly graceSeconds?: number;
  /** Being deleted, with this much time to stop. */
  readonly deletedWithin?: number;
  readonly containers?: number;
}

/** A pod whose UID is its name, unless said otherwise. */
export function pod(name: string, traits: PodTraits = {}): Pod {
  const { uid = name, namespace = 'default', phase = 'Pending', containers = 1 } = traits;
  const { deletedWithin, graceSeconds } = traits;
  return {
    metadata: {
      name,
      namespace,
      uid,
      ...(traits.static === true && { annotations: { 'kubernetes.io/config.source': 'file' } }),
      ...(deletedWithin !== undefined && {
        deletionTimestamp: '2030-01-02T03:04:05Z',
        deletionGracePeriodSeconds: deletedWithin,
      }),
    },
    spec: {
      containers: Array.from({ length: containers }, (_, index) => ({ name: `c${index}` })),
      ...(graceSeconds !== undefined && { terminationGracePeriodSeconds: graceSeconds }),
    },
    status: { phase },
  };
}

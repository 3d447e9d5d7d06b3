/** The pods that users of the simulated cluster write. */
import type { Container, Pod, PodSpec } from '../../src/api/pod.ts';
import { Dice } from './dice.ts';
import { withTraits } from './eviction/pod-traits.ts';

export const NAMESPACE = 'default';
/** Decides admission: podkeep rejects a pod with this. */
export const REFUSED = 'simulation/refused';
export const GATE = 'simulation/gate';

const SOURCE = 'kubernetes.io/config.source';
const HASH = 'kubernetes.io/config.hash';
const MIRROR = 'kubernetes.io/config.mirror';

/** As the scheduler leaves it: bound to the node, and Pending. */
export function apiPod(name: string, uid: string, dice: Dice): Pod {
  return {
    metadata: {
      name,
      namespace: NAMESPACE,
      uid,
      generation: 1,
      ...(dice.chance(0.06) && { annotations: { [REFUSED]: 'true' } }),
    },
    spec: {
      ...specOf(dice, dice.oneOf('Always', 'Always', 'OnFailure', 'Never')),
      ...(dice.chance(0.15) && { readinessGates: [{ conditionType: GATE }] }),
    },
    status: {
      phase: 'Pending',
      conditions: [{ type: 'PodScheduled', status: 'True' }],
      qosClass: 'BestEffort',
    },
  };
}

/** Its hash is its UID: any change of a manifest changes both. */
export function staticPod(name: string, uid: string, dice: Dice): Pod {
  return {
    metadata: {
      name,
      namespace: NAMESPACE,
      uid,
      annotations: { [SOURCE]: 'file', [HASH]: uid },
    },
    spec: specOf(dice, 'Always'),
  };
}

/** The mirror pod of a static pod, as podkeep creates it (KL-60). */
export function mirrorOf(pod: Pod, uid: string): Pod {
  const { annotations = {} } = pod.metadata;
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      uid,
      generation: 1,
      annotations: { ...annotations, [MIRROR]: annotations[HASH] ?? '' },
    },
    status: { phase: 'Pending' },
  };
}

/** The UID of the pod that this one stands for: its own, unless it is a mirror. */
export function sourceUidOf({ metadata }: Pod): string {
  return metadata.annotations?.[MIRROR] ?? metadata.uid ?? '';
}

function specOf(dice: Dice, restartPolicy: 'Always' | 'OnFailure' | 'Never'): PodSpec {
  const init: Container[] = [];
  if (dice.chance(0.25)) init.push({ name: 'init', image: 'init:1' });
  if (dice.chance(0.2)) init.push({ name: 'sidecar', image: 'side:1', restartPolicy: 'Always' });
  const spec: PodSpec = {
    nodeName: 'node-1',
    restartPolicy,
    terminationGracePeriodSeconds: dice.oneOf(1, 5, 10, 30),
    ...(init.length > 0 && { initContainers: init }),
    containers: Array.from({ length: dice.oneOf(1, 1, 2, 3) }, (_, index) =>
      containerOf(`c${index}`, dice),
    ),
  };
  // Dice of its own: what else happens does not depend on it.
  return withTraits(spec, new Dice(dice.between(0, 1_000_000), 'traits'));
}

function containerOf(name: string, dice: Dice): Container {
  return {
    name,
    image: 'app:1',
    ...(dice.chance(0.4) && { readinessProbe: {} }),
    ...(dice.chance(0.15) && { startupProbe: {} }),
    ...(dice.chance(0.2) && { livenessProbe: {} }),
  };
}

/** Computes the status of a DaemonSet. For each node, its oldest pod decides how the node is counted. */
import type { Json } from '../../../../lib/json.ts';
import { numberAt } from '../../../objects/field-path.ts';
import { isPodAvailable, isPodReady } from '../shared/pod-state.ts';
import { isUpdated } from './daemon-pod.ts';
import { minReadyOfDaemon, type DaemonView } from './daemon-plan.ts';

/** Fields that are written even if they are zero. */
export const DAEMON_ZEROS: ReadonlySet<string> = new Set([
  'currentNumberScheduled',
  'desiredNumberScheduled',
  'numberMisscheduled',
  'numberReady',
]);

export function daemonStatus(
  { set, nodes, hash, nowMs }: DaemonView,
  collisions: number,
): Readonly<Record<string, Json>> {
  const wanted = nodes.filter(({ fit }) => fit.mayStart);
  const pods = wanted.flatMap((node) => node.pods.slice(0, 1));
  const ready = pods.filter(isPodReady);
  const available = ready.filter((pod) => isPodAvailable(pod, minReadyOfDaemon(set), nowMs));
  return {
    observedGeneration: numberAt(set, 'metadata.generation'),
    desiredNumberScheduled: wanted.length,
    currentNumberScheduled: pods.length,
    numberMisscheduled: nodes.filter((node) => !node.fit.mayStart && node.pods.length > 0).length,
    numberReady: ready.length,
    updatedNumberScheduled: pods.filter((pod) => isUpdated(set, pod, hash)).length,
    numberAvailable: available.length,
    numberUnavailable: wanted.length - available.length,
    collisionCount: collisions,
  };
}

/**
 * Maps the resources on which a controller of podkeep acts, as kubectl prints them, to the name of that
 * controller.
 */
export const CONTROLLER_OF: ReadonlyMap<string, string> = new Map([
  ['cronjobs.batch', 'cronjob'],
  ['daemonsets.apps', 'daemonset'],
  ['deployments.apps', 'deployment'],
  ['horizontalpodautoscalers.autoscaling', 'horizontalpodautoscaling'],
  ['jobs.batch', 'job'],
  ['persistentvolumeclaims', 'persistentvolume-binder'],
  ['persistentvolumes', 'persistentvolume-binder'],
  ['poddisruptionbudgets.policy', 'disruption'],
  ['replicasets.apps', 'replicaset'],
  ['replicationcontrollers', 'replicationcontroller'],
  ['statefulsets.apps', 'statefulset'],
]);

export function leftOutSentence(resource: string, controller: string): string {
  return (
    `podkeep was started without its ${controller} controller (--controllers), so nothing acts on ${resource} ` +
    'until a kube-controller-manager runs'
  );
}

/** Kinds that a controller of podkeep acts on, by resource as kubectl prints it: the controller's name. */
export const CONTROLLER_OF: ReadonlyMap<string, string> = new Map([
  ['cronjobs.batch', 'cronjob'],
  ['daemonsets.apps', 'daemonset'],
  ['deployments.apps', 'deployment'],
  ['horizontalpodautoscalers.autoscaling', 'horizontalpodautoscaling'],
  ['jobs.batch', 'job'],
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

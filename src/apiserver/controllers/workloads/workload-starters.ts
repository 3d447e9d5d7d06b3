/**
 * Starts workload controllers by name. It is a separate module, so that it is loaded only when the first
 * workload is created.
 */
import { controllerRevisions } from '../../kinds/apps/controller-revision.ts';
import { jobs } from '../../kinds/batch/job.ts';
import { replicaSets } from '../../kinds/apps/replica-set.ts';
import { pods } from '../../kinds/core/pods.ts';
import type { LocalVolumes } from '../../../ports/local-volumes.ts';
import type { ServerParts } from '../../registry/server-parts.ts';
import type { Controller } from '../controller.ts';
import { NodeIpamController } from '../nodes/node-ipam-controller.ts';
import { startAutoscalers } from './autoscaler/autoscaler-controller.ts';
import { startDaemonSets } from './daemon-set/daemon-set-controller.ts';
import { startCronJobs } from './cron-job/cron-job-controller.ts';
import { startDeployments } from './deployment/deployment-controller.ts';
import { startDisruption } from './disruption/disruption-controller.ts';
import { startEndpointSlices } from './endpoints/endpoint-slice-controller.ts';
import { startEndpoints } from './endpoints/endpoints-controller.ts';
import { startMirroring } from './endpoints/mirroring-controller.ts';
import { startJobs } from './job/job-controller.ts';
import { startVolumeBinder } from './persistent-volume/binder-controller.ts';
import { startEphemeralVolumes } from './persistent-volume/ephemeral-controller.ts';
import { startVolumeExpander } from './persistent-volume/expander-controller.ts';
import {
  startReplicaSets,
  startReplicationControllers,
} from './replica-set/replica-set-controller.ts';
import { OwnedIndex } from './shared/owned-index.ts';
import { startStatefulSets } from './stateful-set/stateful-set-controller.ts';
import type { WorkloadControllerName, WorkloadOptions } from './workload-controllers.ts';

interface WorkloadDeps {
  readonly parts: ServerParts;
  readonly pods: OwnedIndex;
  readonly replicaSets: OwnedIndex;
  readonly revisions: OwnedIndex;
  readonly jobs: OwnedIndex;
  readonly options: WorkloadOptions;
  /** Absent: there is no local provisioner. */
  readonly localVolumes: LocalVolumes | undefined;
}

const STARTERS: Readonly<Record<WorkloadControllerName, (deps: WorkloadDeps) => Controller>> = {
  deployment: startDeployments,
  replicaset: startReplicaSets,
  replicationcontroller: startReplicationControllers,
  statefulset: startStatefulSets,
  daemonset: startDaemonSets,
  disruption: startDisruption,
  job: startJobs,
  endpointslice: startEndpointSlices,
  endpoint: startEndpoints,
  endpointslicemirroring: startMirroring,
  cronjob: startCronJobs,
  horizontalpodautoscaling: startAutoscalers,
  'node-ipam': ({ parts, options }) => new NodeIpamController(parts, options.nodeCidrs ?? []),
  'persistentvolume-binder': startVolumeBinder,
  'persistentvolume-expander': startVolumeExpander,
  'ephemeral-volume': startEphemeralVolumes,
};

export function startWorkloads(
  parts: ServerParts,
  names: readonly WorkloadControllerName[],
  options: WorkloadOptions,
): Controller {
  const indexes = {
    pods: new OwnedIndex(parts, pods),
    replicaSets: new OwnedIndex(parts, replicaSets),
    revisions: new OwnedIndex(parts, controllerRevisions),
    jobs: new OwnedIndex(parts, jobs),
  };
  const { localVolumes } = options;
  const running = names.map((name) => STARTERS[name]({ parts, options, ...indexes, localVolumes }));
  return {
    stop: async () => {
      await Promise.all(running.map((controller) => controller.stop()));
      for (const index of Object.values(indexes)) index.stop();
    },
  };
}

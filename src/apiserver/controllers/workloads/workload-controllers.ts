/**
 * Runs the workload controllers: loads them when the first object that one of them manages is created, starts
 * them when podkeep acquires the Lease `kube-controller-manager` (controller-lease.ts), and stops them when
 * it loses the Lease.
 *
 *     no such object ──> no code is loaded, no Lease, no timer
 *     first object ────> acquire the Lease ──> held: all controllers start ──> lost: all controllers stop
 *
 * Each start lists all objects, so a controller that was stopped for a while misses nothing.
 */
import { horizontalPodAutoscalers } from '../../kinds/autoscaling/horizontal-pod-autoscaler.ts';
import { cronJobs } from '../../kinds/batch/cron-job.ts';
import { jobs } from '../../kinds/batch/job.ts';
import { nodes } from '../../kinds/core/node.ts';
import { pods } from '../../kinds/core/pods.ts';
import { endpoints } from '../../kinds/networking/endpoints.ts';
import { services } from '../../kinds/networking/service.ts';
import { persistentVolumeClaims } from '../../kinds/storage/persistent-volume-claim.ts';
import { persistentVolumes } from '../../kinds/storage/persistent-volume.ts';
import { hasEphemeralVolume } from '../../kinds/storage/protection.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { LocalVolumes } from '../../../ports/local-volumes.ts';
import type { KindDefinition } from '../../objects/kind.ts';
import { prefixOf } from '../../registry/registry.ts';
import type { ServerParts } from '../../registry/server-parts.ts';
import { daemonSets } from '../../kinds/apps/daemon-set.ts';
import { deployments } from '../../kinds/apps/deployment.ts';
import { podDisruptionBudgets } from '../../kinds/apps/pod-disruption-budget.ts';
import { replicaSets } from '../../kinds/apps/replica-set.ts';
import { replicationControllers } from '../../kinds/apps/replication-controller.ts';
import { statefulSets } from '../../kinds/apps/stateful-set.ts';
import type { Controller } from '../controller.ts';
import type { NodeCidrRange } from '../nodes/cidr-pool.ts';
import { ControllerLease } from './controller-lease.ts';
import { isMirrored } from './endpoints/mirrored-endpoints.ts';
import { hasPodSelector } from './endpoints/service-selector.ts';

export type WorkloadControllerName =
  | 'deployment'
  | 'replicaset'
  | 'replicationcontroller'
  | 'statefulset'
  | 'daemonset'
  | 'disruption'
  | 'job'
  | 'endpointslice'
  | 'endpoint'
  | 'endpointslicemirroring'
  | 'cronjob'
  | 'horizontalpodautoscaling'
  | 'node-ipam'
  | 'persistentvolume-binder'
  | 'persistentvolume-expander'
  | 'ephemeral-volume';

export const WORKLOAD_CONTROLLER_NAMES: readonly WorkloadControllerName[] = [
  'deployment',
  'replicaset',
  'replicationcontroller',
  'statefulset',
  'daemonset',
  'disruption',
  'job',
  'endpointslice',
  'endpoint',
  'endpointslicemirroring',
  'cronjob',
  'horizontalpodautoscaling',
  'node-ipam',
  'persistentvolume-binder',
  'persistentvolume-expander',
  'ephemeral-volume',
];

export interface WorkloadOptions {
  /** From which nodes get addresses for their pods; absent: they get none, and node-ipam does not run. */
  readonly nodeCidrs?: readonly NodeCidrRange[];
  /** Absent: there is no local provisioner. */
  readonly localVolumes?: LocalVolumes;
}

interface Need {
  readonly kind: KindDefinition;
  /** Absent: every object of the kind. */
  readonly isNeeded?: (object: JsonObject) => boolean;
}

const SERVICE: Need = { kind: services, isNeeded: hasPodSelector };
const CLAIM: Need = { kind: persistentVolumeClaims };
const MIRRORED: Need = { kind: endpoints, isNeeded: isMirrored };

/** The objects for which each controller is needed. */
const NEEDED_BY: Readonly<Record<WorkloadControllerName, readonly Need[]>> = {
  deployment: [{ kind: deployments }],
  replicaset: [{ kind: replicaSets }],
  replicationcontroller: [{ kind: replicationControllers }],
  statefulset: [{ kind: statefulSets }],
  daemonset: [{ kind: daemonSets }],
  disruption: [{ kind: podDisruptionBudgets }],
  job: [{ kind: jobs }],
  endpointslice: [SERVICE],
  endpoint: [SERVICE, MIRRORED],
  endpointslicemirroring: [MIRRORED],
  cronjob: [{ kind: cronJobs }],
  horizontalpodautoscaling: [{ kind: horizontalPodAutoscalers }],
  'node-ipam': [{ kind: nodes }],
  'persistentvolume-binder': [CLAIM, { kind: persistentVolumes }],
  'persistentvolume-expander': [CLAIM],
  'ephemeral-volume': [{ kind: pods, isNeeded: hasEphemeralVolume }],
};

export class WorkloadControllers implements Controller {
  readonly #parts: ServerParts;
  readonly #names: readonly WorkloadControllerName[];
  readonly #options: WorkloadOptions;
  readonly #leave: (() => void)[] = [];
  #lease: ControllerLease | null = null;
  /** Resolves when the last start or stop has finished, so that they never overlap. */
  #turn: Promise<void> = Promise.resolve();
  #running: Controller | null = null;
  #isWanted = false;

  constructor(
    parts: ServerParts,
    chosen: readonly WorkloadControllerName[],
    options: WorkloadOptions = {},
  ) {
    const names = chosen.filter((name) => name !== 'node-ipam' || options.nodeCidrs);
    this.#parts = parts;
    this.#names = names;
    this.#options = options;
    const needs: ReadonlySet<Need> = new Set(names.flatMap((name) => NEEDED_BY[name]));
    const { store } = parts;
    for (const { kind, isNeeded } of needs) {
      const prefix = prefixOf(kind, '');
      const begin = (value: JsonObject): void => {
        if (!isNeeded || isNeeded(value)) this.#begin();
      };
      this.#leave.push(store.watch(prefix, store.revision, ({ value }) => begin(value)));
      const { objects } = store.list(prefix, isNeeded ? {} : { limit: 1 });
      for (const { value } of objects) begin(value);
    }
  }

  async stop(): Promise<void> {
    for (const leave of this.#leave) leave();
    this.#want(false);
    await this.#turn;
    await this.#lease?.stop();
  }

  #begin(): void {
    for (const leave of this.#leave.splice(0)) leave();
    this.#lease ??= new ControllerLease(this.#parts, {
      held: () => this.#want(true),
      lost: () => this.#want(false),
    });
  }

  #want(isWanted: boolean): void {
    this.#isWanted = isWanted;
    this.#turn = this.#turn
      .then(() => this.#arrange())
      .catch((error: unknown) => {
        this.#parts.log.error('Failed to start or stop workload controllers', { error });
      });
  }

  async #arrange(): Promise<void> {
    if (this.#isWanted === (this.#running !== null)) return;
    if (this.#running) {
      const running = this.#running;
      this.#running = null;
      await running.stop();
      return;
    }
    const { startWorkloads } = await import('./workload-starters.ts');
    // The Lease may be lost again while the code was loaded.
    if (this.#isWanted) this.#running = startWorkloads(this.#parts, this.#names, this.#options);
  }
}

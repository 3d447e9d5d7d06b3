/**
 * Workload controllers on an API server in memory, with a kubelet in a few lines: every pod becomes ready at
 * once, unless the test holds it back, and a pod that is deleted goes at once.
 */
import type { WorkloadOptions } from '../../../src/apiserver/controllers/workloads/workload-controllers.ts';
import type { ControllerName } from '../../../src/apiserver/controllers/controllers.ts';
import { metadataOf, nameOf, textOf } from '../../../src/apiserver/objects/metadata.ts';
import type { KindDefinition } from '../../../src/apiserver/objects/kind.ts';
import { pods } from '../../../src/apiserver/kinds/core/pods.ts';
import { formatTime } from '../../../src/api/values/time.ts';
import { structAt, textAt } from '../../../src/apiserver/objects/field-path.ts';
import { follow } from '../../../src/apiserver/registry/object-feed.ts';
import { prefixOf } from '../../../src/apiserver/registry/registry.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import type { ObjectStore } from '../../../src/ports/api/object-store.ts';
import type { LocalVolumes } from '../../../src/ports/local-volumes.ts';
import { ControllerHarness } from './controller-harness.ts';

export const PODS = '/api/v1/namespaces/default/pods';
export const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
export const REPLICA_SETS = '/apis/apps/v1/namespaces/default/replicasets';

export interface WorkloadHarnessOptions extends WorkloadOptions {
  readonly controllers: readonly ControllerName[];
  /** Does this pod become ready? Absent: every pod does. */
  readonly becomesReady?: (pod: JsonObject) => boolean;
  readonly store?: ObjectStore;
  /** In addition to the built-in ones. */
  readonly kinds?: readonly KindDefinition[];
  /** Another one after a restart: objects must not get the UIDs of earlier ones. */
  readonly seed?: number;
  /** Absent: there is no local provisioner. */
  readonly localVolumes?: LocalVolumes;
  /** How much time had passed before a restart. */
  readonly elapsedMs?: number;
}

export class WorkloadHarness extends ControllerHarness {
  becomesReady: (pod: JsonObject) => boolean = () => true;
  /** The most pods of the namespace that were active at the same time. */
  activeMax = 0;
  #created = 0;

  static override async open(options?: WorkloadHarnessOptions): Promise<WorkloadHarness> {
    // Loaded before: a controller that is loaded late waits for the disk, which takes no virtual time.
    await import('../../../src/apiserver/controllers/workloads/workload-starters.ts');
    const harness = new WorkloadHarness(options);
    if (options?.becomesReady) harness.becomesReady = options.becomesReady;
    for (const name of ['default', 'kube-system']) await harness.make('/api/v1/namespaces', name);
    await harness.make('/api/v1/namespaces/default/serviceaccounts', 'default');
    harness.runPods();
    harness.start();
    await harness.settle();
    return harness;
  }

  /** With the controllers running on the store of another harness, as after a restart. */
  static async resume(options: WorkloadHarnessOptions): Promise<WorkloadHarness> {
    const harness = new WorkloadHarness({ seed: 2, ...options });
    await harness.clock.pass(options.elapsedMs ?? 0);
    harness.runPods();
    harness.start();
    await harness.settle();
    return harness;
  }

  /** How many pods were ever created. */
  get created(): number {
    return this.#created;
  }

  runPods(): void {
    follow(this.store, prefixOf(pods, ''), ({ type, value, before }) => {
      if (type === 'put' && !before) this.#created += 1;
      if (type === 'put') void this.#run(value);
    });
  }

  /** Lets controllers and pods settle; code that is loaded late takes a few turns of the event loop. */
  override async settle(ms = 0): Promise<void> {
    await this.clock.pass(ms);
    for (let turn = 0; turn < 60; turn++) await this.clock.pass(10);
  }

  async namesIn(path: string): Promise<readonly string[]> {
    return (await this.list(path)).map(nameOf);
  }

  async status(path: string): Promise<JsonObject> {
    return structAt((await this.get(path)).body, 'status');
  }

  async eventsOf(kind: string): Promise<readonly string[]> {
    const events = await this.list('/api/v1/namespaces/default/events');
    return events
      .filter((event) => textAt(event, 'involvedObject.kind') === kind)
      .map((event) => `${textAt(event, 'reason')}: ${textAt(event, 'message')}`);
  }

  async #run(pod: JsonObject): Promise<void> {
    const { registry } = this.server.parts;
    const target = { definition: pods, namespace: 'default', name: nameOf(pod) };
    const active = this.store
      .list(prefixOf(pods, 'default'))
      .objects.filter(({ value }) => metadataOf(value)['deletionTimestamp'] === undefined);
    this.activeMax = Math.max(this.activeMax, active.length);
    if (metadataOf(pod)['deletionTimestamp'] !== undefined) {
      await registry
        .remove(target, {
          dryRun: false,
          gracePeriodSeconds: 0,
          propagation: null,
          uid: textOf(metadataOf(pod)['uid']),
          resourceVersion: null,
        })
        .catch(() => {});
      return;
    }
    const isPending = textAt(pod, 'status.phase') === 'Pending';
    if (!isPending || !this.becomesReady(pod)) return;
    const now = formatTime(this.clock.now());
    const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: now }];
    const status = {
      phase: 'Running',
      conditions,
      podIP: '10.0.0.1',
      podIPs: [{ ip: '10.0.0.1' }],
    };
    await registry
      .update({ ...target, subresource: 'status', change: (old) => ({ ...old, status }) })
      .catch(() => {});
  }
}

export function deploymentOf(fields: JsonObject = {}, image = 'web:1'): JsonObject {
  return {
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'web', image }] },
      },
      ...fields,
    },
  };
}

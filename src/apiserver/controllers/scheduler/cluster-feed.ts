/**
 * Follows the store: updates the scheduler's cache (`Cluster`), and notifies the scheduler of changes and of
 * pending pods.
 */
import type { JsonObject } from '../../../lib/json.ts';
import type { StoreEvent } from '../../../ports/api/object-store.ts';
import { podDisruptionBudgets } from '../../kinds/apps/pod-disruption-budget.ts';
import { namespaces } from '../../kinds/core/namespace.ts';
import { nodes } from '../../kinds/core/node.ts';
import { pods } from '../../kinds/core/pods.ts';
import { csiDrivers, csiNodes, csiStorageCapacities } from '../../kinds/storage/csi.ts';
import { persistentVolumeClaims } from '../../kinds/storage/persistent-volume-claim.ts';
import { persistentVolumes } from '../../kinds/storage/persistent-volume.ts';
import { storageClasses } from '../../kinds/storage/storage-class.ts';
import { volumeAttachments } from '../../kinds/storage/volume-attachment.ts';
import { numberAt, textAt } from '../../objects/field-path.ts';
import { nameOf } from '../../objects/metadata.ts';
import { follow } from '../../registry/object-feed.ts';
import { prefixOf } from '../../registry/registry.ts';
import type { ServerParts } from '../../registry/server-parts.ts';
import { readKey } from '../object-key.ts';
import type { Cluster } from './cluster.ts';
import {
  differsIn,
  differsInSubstance,
  isOnNode,
  isSameNode,
  isSamePod,
  isPending,
} from './pod-states.ts';
import { viewPod } from './pod-view.ts';
import type { ClusterChange } from './queue/cluster-change.ts';

export interface ClusterListener {
  /** The pod is new, or has changed so that another attempt is worthwhile. */
  pending(key: string, pod: JsonObject): void;
  /** The pod is bound, finished, deleted, or no longer for this scheduler. */
  settled(key: string): void;
  changed(change: ClusterChange): void;
}

const STORAGE_KINDS = [
  persistentVolumes,
  storageClasses,
  csiNodes,
  csiDrivers,
  csiStorageCapacities,
  volumeAttachments,
];

export class ClusterFeed {
  readonly #cluster: Cluster;
  readonly #listener: ClusterListener;
  readonly #leave: readonly (() => void)[];

  constructor({ store }: ServerParts, cluster: Cluster, listener: ClusterListener) {
    this.#cluster = cluster;
    this.#listener = listener;
    const { revision } = store;
    this.#leave = [
      follow(store, prefixOf(namespaces, ''), (event) => this.#seeNamespace(event)),
      follow(store, prefixOf(nodes, ''), (event) => this.#seeNode(event)),
      follow(store, prefixOf(pods, ''), (event) => this.#seePod(event)),
      store.watch(prefixOf(persistentVolumeClaims, ''), revision, ({ type, value }) =>
        listener.changed({ kind: 'claim', after: type === 'put' ? value : null }),
      ),
      store.watch(prefixOf(podDisruptionBudgets, ''), revision, (event) => this.#seeBudget(event)),
      ...STORAGE_KINDS.map((kind) =>
        store.watch(prefixOf(kind, ''), revision, () => listener.changed({ kind: 'storage' })),
      ),
    ];
  }

  stop(): void {
    for (const leave of this.#leave) leave();
  }

  #seeNamespace({ type, key, value, before }: StoreEvent): void {
    if (type === 'delete') {
      this.#cluster.deleteNamespace(readKey(key).name);
      return;
    }
    this.#cluster.putNamespace(value);
    if (before && differsIn('labels', value, before)) this.#listener.changed({ kind: 'namespace' });
  }

  #seeNode({ type, key, value }: StoreEvent): void {
    const name = type === 'delete' ? readKey(key).name : nameOf(value);
    const before = this.#cluster.node(name) ?? null;
    if (type === 'delete') this.#cluster.deleteNode(name);
    else this.#cluster.putNode(value);
    const after = this.#cluster.node(name) ?? null;
    if (before && after && isSameNode(after, before)) return;
    this.#listener.changed({ kind: 'node', before, after });
  }

  #seePod({ type, key, value, before }: StoreEvent): void {
    if (type === 'put' && before && isSamePod(value, before)) return;
    if (type === 'put' && isPending(value)) {
      this.#nominate(key, value, before);
      if (!before || !isPending(before) || differsInSubstance(value, before)) {
        this.#listener.pending(key, value);
      }
      return;
    }
    this.#cluster.nominations.delete(key);
    this.#listener.settled(key);
    const was = this.#cluster.pod(key) ?? null;
    if (type === 'put' && isOnNode(value)) this.#cluster.putPod(viewPod(key, value));
    else this.#cluster.deletePod(key);
    const after = this.#cluster.pod(key) ?? null;
    if (was || after) this.#listener.changed({ kind: 'pod', before: was, after });
  }

  /** Keeps a nomination that the scheduler has not written yet. */
  #nominate(key: string, pod: JsonObject, before: JsonObject | null): void {
    const { nominations } = this.#cluster;
    const node = textAt(pod, 'status.nominatedNodeName');
    const isSame = before !== null && textAt(before, 'status.nominatedNodeName') === node;
    const kept = isSame ? nominations.nodeOf(key) : node;
    if (kept !== '' || nominations.nodeOf(key) !== '') nominations.set(viewPod(key, pod), kept);
  }

  #seeBudget({ type, value, before }: StoreEvent): void {
    const allowed = (object: JsonObject | null): number =>
      object ? numberAt(object, 'status.disruptionsAllowed') : 0;
    if (type === 'delete' || allowed(value) > allowed(before)) {
      this.#listener.changed({ kind: 'budget' });
    }
  }
}

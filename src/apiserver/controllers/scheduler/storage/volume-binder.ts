/**
 * Binds the unbound claims of a pod after its node was chosen and before the pod itself is bound:
 *
 *     a volume exists ──> spec.claimRef of the volume names the claim     ┐
 *     none ─────────────> the claim gets the annotation selected-node     ┴──> wait until all claims are bound
 *
 * The volume controller completes the binding, and a provisioner creates new volumes. Until then the chosen
 * volumes are reserved for this pod. The attempt fails after ten minutes, or if the provisioner removes the
 * selected-node annotation.
 */
import type { JsonObject } from '../../../../lib/json.ts';
import { persistentVolumeClaims } from '../../../kinds/storage/persistent-volume-claim.ts';
import { persistentVolumes } from '../../../kinds/storage/persistent-volume.ts';
import { structAt } from '../../../objects/field-path.ts';
import { metadataOf, nameOf, textOf, withMetadata } from '../../../objects/metadata.ts';
import { keyOf } from '../../../registry/registry.ts';
import type { ServerParts } from '../../../registry/server-parts.ts';
import type { NodeView } from '../cluster.ts';
import {
  annotationOf,
  BOUND_BY_CONTROLLER,
  claimKey,
  isFullyBound,
  isReservedFor,
  SELECTED_NODE,
} from './claim-facts.ts';
import type { PodClaims } from './pod-claims.ts';
import { volumeBindingFailed } from './volume-errors.ts';
import { findBindings, type VolumeBindings, type VolumePromises } from './volume-binding.ts';
import type { StorageReader } from './storage-reader.ts';

const BIND_MS_MAX = 10 * 60_000;

export class VolumeBinder {
  readonly #parts: ServerParts;
  readonly #storage: StorageReader;
  readonly #volumes = new Set<string>();
  readonly #nodes = new Map<string, string>();
  readonly #stop = new Set<() => void>();

  constructor(parts: ServerParts, storage: StorageReader) {
    this.#parts = parts;
    this.#storage = storage;
  }

  get promises(): VolumePromises {
    return { volumes: this.#volumes, nodes: this.#nodes };
  }

  /** Null: there is nothing to bind. The reservations last until the returned function has settled. */
  prepare(claims: PodClaims, node: NodeView): (() => Promise<void>) | null {
    if (claims.waiting.length === 0) return null;
    const answer = findBindings(claims, node, this.#storage, this.promises);
    if (answer.type === 'refused') {
      const why = answer.reasons.join(', ');
      return () => Promise.reject(volumeBindingFailed({ why }));
    }
    const { existing, provisioned } = answer.bindings;
    for (const { volume } of existing) this.#volumes.add(nameOf(volume));
    for (const claim of provisioned) this.#nodes.set(claimKey(claim), node.name);
    return async () => {
      try {
        await this.#write(answer.bindings, node.name);
        await Promise.all(claims.waiting.map((claim) => this.#untilBound(claim, node.name)));
      } finally {
        for (const { volume } of existing) this.#volumes.delete(nameOf(volume));
        for (const claim of provisioned) this.#nodes.delete(claimKey(claim));
      }
    };
  }

  /** Makes all waiting bindings fail. */
  stop(): void {
    for (const stop of this.#stop) stop();
  }

  async #write({ existing, provisioned }: VolumeBindings, node: string): Promise<void> {
    const { registry } = this.#parts;
    for (const { claim, volume } of existing) {
      const change = (old: JsonObject): JsonObject => reserve(old, claim);
      const name = nameOf(volume);
      await registry.update({ definition: persistentVolumes, namespace: '', name, change });
    }
    for (const claim of provisioned) {
      if (annotationOf(claim, SELECTED_NODE) === node) continue;
      const namespace = textOf(metadataOf(claim)['namespace']);
      const change = (old: JsonObject): JsonObject => annotate(old, SELECTED_NODE, node);
      const name = nameOf(claim);
      await registry.update({ definition: persistentVolumeClaims, namespace, name, change });
    }
  }

  #untilBound(claim: JsonObject, node: string): Promise<void> {
    const { store, clock } = this.#parts;
    const namespace = textOf(metadataOf(claim)['namespace']);
    const key = keyOf({ definition: persistentVolumeClaims, namespace, name: nameOf(claim) });
    return new Promise((resolve, reject) => {
      const end = (why: string | null): void => {
        leave();
        cancel();
        this.#stop.delete(stop);
        if (why === null) resolve();
        else reject(volumeBindingFailed({ why }));
      };
      const look = (current: JsonObject | undefined): void => {
        const name = JSON.stringify(nameOf(claim));
        if (!current) end(`persistentvolumeclaim ${name} not found`);
        else if (isFullyBound(current)) end(null);
        else if ((annotationOf(current, SELECTED_NODE) ?? node) !== node) {
          end(`provisioning failed for PVC ${name}`);
        } else if (this.#nodes.has(claimKey(claim)) && !isSelected(current)) {
          end(`selectedNode annotation reset for PVC ${name}`);
        }
      };
      const stop = (): void => end('the scheduler stops');
      const cancel = clock.after(BIND_MS_MAX, () => end('context deadline exceeded'));
      const leave = store.watch(key, store.revision, (event) => {
        if (event.key === key) look(event.type === 'put' ? event.value : undefined);
      });
      this.#stop.add(stop);
      look(store.get(key)?.value);
    });
  }
}

function isSelected(claim: JsonObject): boolean {
  return annotationOf(claim, SELECTED_NODE) !== undefined;
}

/** Throws if the volume was reserved for another claim in the meantime. */
function reserve(volume: JsonObject, claim: JsonObject): JsonObject {
  const spec = structAt(volume, 'spec');
  const wasReserved = isReservedFor(volume, claim);
  if (spec['claimRef'] !== undefined && !wasReserved) {
    throw volumeBindingFailed({ why: `volume ${nameOf(volume)} is bound to another claim` });
  }
  const { namespace, name, uid, resourceVersion } = metadataOf(claim);
  const claimRef = {
    kind: 'PersistentVolumeClaim',
    namespace: textOf(namespace),
    name: textOf(name),
    uid: textOf(uid),
    apiVersion: 'v1',
    resourceVersion: textOf(resourceVersion),
  };
  const bound = { ...volume, spec: { ...spec, claimRef } };
  return wasReserved ? bound : annotate(bound, BOUND_BY_CONTROLLER, 'yes');
}

function annotate(object: JsonObject, name: string, value: string): JsonObject {
  const annotations = structAt(object, 'metadata.annotations');
  return withMetadata(object, { annotations: { ...annotations, [name]: value } });
}

/**
 * `ephemeral-volume`: creates the claims of generic ephemeral volumes. Such a claim is named after pod and volume,
 * and the pod owns it, so the garbage collector deletes it with the pod.
 *
 * A claim of that name that another client has created is never used: it may hold another user's data.
 */
import { isGiven, readText } from '../../../../api/validation/json-reading.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import { pods } from '../../../kinds/core/pods.ts';
import { persistentVolumeClaims } from '../../../kinds/storage/persistent-volume-claim.ts';
import {
  ephemeralClaimName,
  hasEphemeralVolume,
  isMadeFor,
} from '../../../kinds/storage/protection.ts';
import { objectsAt, structAt } from '../../../objects/field-path.ts';
import { metadataOf, nameOf, textOf } from '../../../objects/metadata.ts';
import { follow } from '../../../registry/object-feed.ts';
import { keyOf, prefixOf } from '../../../registry/registry.ts';
import type { ServerParts } from '../../../registry/server-parts.ts';
import type { Controller } from '../../controller.ts';
import { isNamespaceGoing } from '../../deletion-request.ts';
import { isBeingDeleted } from '../../garbage/owner-reference.ts';
import { WorkQueue } from '../../work-queue.ts';
import { newControllerRef } from '../shared/controller-ref.ts';
import { WorkloadEvents } from '../shared/workload-events.ts';
import { ephemeralClaimTaken } from './provisioning-errors.ts';

export interface EphemeralDeps {
  readonly parts: ServerParts;
}

export function startEphemeralVolumes(deps: EphemeralDeps): Controller {
  return new EphemeralController(deps);
}

class EphemeralController implements Controller {
  readonly #parts: ServerParts;
  readonly #events: WorkloadEvents;
  readonly #queue: WorkQueue;
  readonly #leave: readonly (() => void)[];

  constructor({ parts }: EphemeralDeps) {
    this.#parts = parts;
    this.#events = new WorkloadEvents(parts, 'ephemeral_volume');
    const { store, clock, random, log } = parts;
    const work = (key: string): Promise<void> => this.#sync(key);
    this.#queue = new WorkQueue({ clock, random, log, name: 'ephemeral-volume', work });
    this.#leave = [
      follow(store, prefixOf(pods, ''), ({ type, key, value, before }) => {
        // The volumes of a pod never change.
        if (type === 'put' && !before && hasEphemeralVolume(value)) this.#queue.add(key);
      }),
      store.watch(prefixOf(persistentVolumeClaims, ''), store.revision, ({ type, value }) => {
        if (type === 'delete') this.#replace(value);
      }),
    ];
  }

  async stop(): Promise<void> {
    for (const leave of this.#leave) leave();
    await this.#queue.stop();
    await this.#events.drained();
  }

  /** A claim is gone: the pod that it was for, or that could not have it, gets one. */
  #replace(claim: JsonObject): void {
    const namespace = textOf(metadataOf(claim)['namespace']);
    const name = nameOf(claim);
    for (const { key, value } of this.#parts.store.list(prefixOf(pods, namespace)).objects) {
      if (ephemeralVolumesOf(value).some((volume) => ephemeralClaimName(value, volume) === name)) {
        this.#queue.add(key);
      }
    }
  }

  async #sync(key: string): Promise<void> {
    const pod = this.#parts.store.get(key)?.value;
    if (!pod || isBeingDeleted(pod)) return;
    for (const volume of ephemeralVolumesOf(pod)) {
      try {
        await this.#ensure(pod, volume);
      } catch (error) {
        if (isNamespaceGoing(error)) return;
        const why = error instanceof Error ? error.message : String(error);
        const message = `ephemeral volume ${readText(volume['name'])}: ${why}`;
        this.#events.warning(pod, 'FailedBinding', message);
        throw error;
      }
    }
  }

  async #ensure(pod: JsonObject, volume: JsonObject): Promise<void> {
    const { store, registry } = this.#parts;
    const namespace = textOf(metadataOf(pod)['namespace']);
    const name = ephemeralClaimName(pod, volume);
    const definition = persistentVolumeClaims;
    const claim = store.get(keyOf({ definition, namespace, name }))?.value;
    if (claim) {
      if (isMadeFor(claim, pod)) return;
      throw ephemeralClaimTaken({ namespace, claim: name, pod: nameOf(pod) });
    }
    const { labels, annotations } = structAt(volume, 'ephemeral.volumeClaimTemplate.metadata');
    const body = {
      metadata: {
        name,
        ownerReferences: [newControllerRef(pods, pod)],
        ...(isGiven(labels) && { labels }),
        ...(isGiven(annotations) && { annotations }),
      },
      spec: structAt(volume, 'ephemeral.volumeClaimTemplate.spec'),
    };
    await registry.create({ definition, namespace, body });
  }
}

function ephemeralVolumesOf(pod: JsonObject): readonly JsonObject[] {
  return objectsAt(pod, 'spec.volumes').filter((volume) => isGiven(volume['ephemeral']));
}

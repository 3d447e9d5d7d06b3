/**
 * Storage protection controller: removes the protection finalizer from deleted storage objects that are no
 * longer in use, and adds the finalizer where it is missing.
 *
 * It follows claims, volumes and classes, and the objects that may have stopped using them. Whether an object
 * is in use is read from the store when the decision is made, so that no use is missed.
 */
import type { JsonObject } from '../../../lib/json.ts';
import type { StoreEvent } from '../../../ports/api/object-store.ts';
import type { KindDefinition } from '../../objects/kind.ts';
import { persistentVolumeClaims } from '../../kinds/storage/persistent-volume-claim.ts';
import { persistentVolumes } from '../../kinds/storage/persistent-volume.ts';
import { pods } from '../../kinds/core/pods.ts';
import { volumeAttributesClasses } from '../../kinds/storage/volume-attributes-class.ts';
import { nameOf } from '../../objects/metadata.ts';
import { keyOf, prefixOf } from '../../registry/registry.ts';
import type { ServerParts } from '../../registry/server-parts.ts';
import type { Controller } from '../controller.ts';
import { isMissing } from '../deletion-request.ts';
import { follow } from '../../registry/object-feed.ts';
import { readKey } from '../object-key.ts';
import { WorkQueue } from '../work-queue.ts';
import {
  volumeClaimNamesOf,
  classNamesOf,
  isBound,
  isLeaving,
  isProtected,
  usesClaim,
  withoutProtection,
  withProtection,
} from '../../kinds/storage/protection.ts';

const KINDS: readonly KindDefinition[] = [
  persistentVolumeClaims,
  persistentVolumes,
  volumeAttributesClasses,
];

export class StorageProtectionController implements Controller {
  readonly #parts: ServerParts;
  readonly #queue: WorkQueue;
  readonly #leave: readonly (() => void)[];

  constructor(parts: ServerParts) {
    this.#parts = parts;
    const { store, clock, random, log } = parts;
    const work = (key: string): Promise<void> => this.#settle(key);
    this.#queue = new WorkQueue({ clock, random, log, name: 'storage-protection', work });
    this.#leave = [
      ...KINDS.map((definition) =>
        follow(store, prefixOf(definition, ''), (event) => this.#see(definition, event)),
      ),
      follow(store, prefixOf(pods, ''), ({ key, value, before }) => {
        const names = new Set(
          [value, before].flatMap((pod) => (pod ? volumeClaimNamesOf(pod) : [])),
        );
        const { namespace } = readKey(key);
        for (const name of names) {
          this.#queue.add(keyOf({ definition: persistentVolumeClaims, namespace, name }));
        }
      }),
    ];
  }

  async stop(): Promise<void> {
    for (const leave of this.#leave) leave();
    await this.#queue.stop();
  }

  #see(definition: KindDefinition, { type, key, value, before }: StoreEvent): void {
    if (type === 'put' && isLeaving(value) === isProtected(value, definition)) this.#queue.add(key);
    const names = new Set([value, before].flatMap((one) => (one ? classNamesOf(one) : [])));
    for (const name of names) {
      this.#queue.add(keyOf({ definition: volumeAttributesClasses, namespace: '', name }));
    }
  }

  async #settle(key: string): Promise<void> {
    const { store, registry } = this.#parts;
    const { resource, namespace, name } = readKey(key);
    const definition = KINDS.find((one) => one.resource === resource);
    const object = store.get(key)?.value;
    if (!definition || !object) return;
    const change = (old: JsonObject): JsonObject => {
      if (!isLeaving(old)) return withProtection(old, definition);
      return this.#isUsed(definition, namespace, old) ? old : withoutProtection(old, definition);
    };
    if (change(object) === object) return;
    try {
      await registry.update({ definition, namespace, name, change });
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }

  #isUsed(definition: KindDefinition, namespace: string, object: JsonObject): boolean {
    if (definition === persistentVolumes) return isBound(object);
    if (definition === persistentVolumeClaims) {
      return this.#list(pods, namespace).some((pod) => usesClaim(pod, object));
    }
    const users = [persistentVolumeClaims, persistentVolumes];
    return users.some((kind) =>
      this.#list(kind, '').some((user) => classNamesOf(user).includes(nameOf(object))),
    );
  }

  #list(definition: KindDefinition, namespace: string): readonly JsonObject[] {
    return this.#parts.store
      .list(prefixOf(definition, namespace))
      .objects.map(({ value }) => value);
  }
}

/**
 * Lets storage go that is deleted, once nobody uses it, and protects what came in unprotected.
 *
 * It is told of claims, volumes and classes, and of what may have stopped to use them. Whether something
 * is used is asked of the store when it is decided, so that nothing can be missed.
 */
import type { JsonObject } from '../../../lib/json.ts';
import type { StoreEvent } from '../../../ports/object-store.ts';
import type { KindDefinition } from '../../kind.ts';
import { persistentVolumeClaims } from '../../kinds/persistent-volume-claim.ts';
import { persistentVolumes } from '../../kinds/persistent-volume.ts';
import { pods } from '../../kinds/pods.ts';
import { volumeAttributesClasses } from '../../kinds/volume-attributes-class.ts';
import { nameOf } from '../../metadata.ts';
import { keyOf, prefixOf } from '../../registry.ts';
import type { ServerParts } from '../../server-parts.ts';
import type { Controller } from '../controller.ts';
import { isMissing } from '../deletion-request.ts';
import { follow } from '../object-feed.ts';
import { readKey } from '../object-key.ts';
import { WorkQueue } from '../work-queue.ts';
import {
  claimNamesOf,
  classNamesOf,
  isBound,
  isLeaving,
  isProtected,
  usesClaim,
  withoutProtection,
  withProtection,
} from './protection.ts';

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
        const names = new Set([value, before].flatMap((pod) => (pod ? claimNamesOf(pod) : [])));
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

/**
 * Serves custom kinds: follows CustomResourceDefinitions in the store, updates the catalog of kinds, writes
 * their status and completes their deletion.
 *
 *     stored ──> names accepted, established ──> kinds in the catalog
 *     marked for deletion ──> objects deleted ──> finalizer removed ──> kinds removed from the catalog
 *
 * The catalog changes synchronously with the store, so a kind is served as soon as a client can see that its
 * definition is established. All other steps are asynchronous, and are retried after a failure. All state is
 * in the store, so a restart changes nothing.
 */
import { formatTime } from '../../api/values/time.ts';
import { PodkeepError } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { StoreEvent } from '../../ports/api/object-store.ts';
import type { KindDefinition } from '../objects/kind.ts';
import { customResourceDefinitions } from './custom-resource-definition.ts';
import { listOf, metadataOf, nameOf, textOf } from '../objects/metadata.ts';
import { readDeleteOptions } from '../requests/options.ts';
import { prefixOf } from '../registry/registry.ts';
import type { ServerParts } from '../registry/server-parts.ts';
import { StatusError } from '../objects/status.ts';
import {
  acceptedNamesOf,
  acceptNames,
  DELETION_COMPLETED,
  DELETION_IN_PROGRESS,
  NEVER_ESTABLISHED,
  release,
  takenNames,
  withCrdCondition,
} from './crd-status.ts';
import { CLEANUP_FINALIZER, readCrd, type Crd } from './crd.ts';
import { ServedVersions } from './conversion/served-versions.ts';
import type { WebhookConversionDeps } from './conversion/webhook-conversion.ts';
import { definitionsOf, storageOf } from './custom-definition.ts';

/** How conversion webhooks are called, and measured. */
export type ConversionPorts = Pick<WebhookConversionDeps, 'post' | 'metrics'>;

const RETRY_MS = 1000;
const PREFIX = prefixOf(customResourceDefinitions, '');

export class CustomKinds {
  readonly #parts: ServerParts;
  /** Kinds that cannot be defined: `group/resource`. */
  readonly #builtIn: ReadonlySet<string>;
  readonly #served = new Map<string, readonly KindDefinition[]>();
  /** Definitions that wait for their objects to go, and how to stop watching these. */
  readonly #waiting = new Map<string, () => void>();
  readonly #pending = new Set<string>();
  readonly #versions = new Map<string, ServedVersions>();
  readonly #deps: WebhookConversionDeps;
  #conversions = 0;
  #isWorking = false;

  constructor(parts: ServerParts, conversion: ConversionPorts) {
    this.#parts = parts;
    this.#deps = { ...parts, ...conversion };
    this.#builtIn = new Set(parts.catalog.all().map(resourceKey));
  }

  /** Serves the existing definitions, and follows later ones. */
  start(): void {
    const { store } = this.#parts;
    const { objects, revision } = store.list(PREFIX);
    for (const { value } of objects) {
      this.#serve(value);
      this.#look(nameOf(value));
    }
    store.watch(PREFIX, revision, (event) => this.#follow(event));
  }

  #follow({ type, value }: StoreEvent): void {
    const name = nameOf(value);
    if (type === 'put') this.#serve(value);
    else this.#forget(name);
    this.#look(name);
    // Names may have become free, or changed.
    if (type === 'delete') for (const other of this.#neighboursOf(value)) this.#look(nameOf(other));
  }

  #serve(object: JsonObject): void {
    const crd = readCrd(object);
    this.#withdraw(crd.name);
    if (this.#builtIn.has(resourceKey({ group: crd.group, resource: crd.names.plural }))) return;
    const definitions = definitionsOf(crd, this.#versionsOf(object, crd));
    for (const definition of definitions) this.#parts.catalog.add(definition);
    this.#served.set(crd.name, definitions);
  }

  #withdraw(name: string): void {
    for (const definition of this.#served.get(name) ?? []) this.#parts.catalog.remove(definition);
    this.#served.delete(name);
  }

  #versionsOf(object: JsonObject, crd: Crd): ServedVersions {
    const known = this.#versions.get(crd.name);
    if (known?.isFor(object)) return known;
    this.#conversions += 1;
    const made = new ServedVersions(object, crd, String(this.#conversions), this.#deps);
    this.#versions.set(crd.name, made);
    known?.replace();
    return made;
  }

  #forget(name: string): void {
    this.#withdraw(name);
    this.#versions.get(name)?.replace();
    this.#versions.delete(name);
  }

  #look(name: string): void {
    this.#pending.add(name);
    if (!this.#isWorking) void this.#work();
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    for (const name of this.#pending) {
      this.#pending.delete(name);
      await this.#settle(name).catch((error: unknown) => this.#retry(name, error));
    }
    this.#isWorking = false;
  }

  #retry(name: string, error: unknown): void {
    // A write conflict, or the definition is gone: the store notifies of either.
    if (error instanceof StatusError && (error.code === 404 || error.code === 409)) return;
    if (error instanceof PodkeepError && error.code === 'STORE_CLOSED') return;
    const { clock, log } = this.#parts;
    log.warn('failed to sync a CustomResourceDefinition; retrying', { name, error });
    clock.after(RETRY_MS, () => this.#look(name));
  }

  async #settle(name: string): Promise<void> {
    const object = this.#parts.store.get(`${PREFIX}${name}`)?.value;
    if (!object) {
      this.#stopWaiting(name);
      return;
    }
    const { finalizers } = metadataOf(object);
    const crd = readCrd(object);
    if (!crd.isBeingDeleted) await this.#accept(object);
    else if (listOf(finalizers).includes(CLEANUP_FINALIZER)) await this.#cleanUp(crd);
  }

  async #accept(object: JsonObject): Promise<void> {
    const names = this.#neighboursOf(object).map(acceptedNamesOf);
    const change = (old: JsonObject): JsonObject =>
      acceptNames(old, takenNames(names), this.#now());
    if (change(object) === object) return;
    await this.#update(nameOf(object), change);
    for (const other of this.#neighboursOf(object)) this.#look(nameOf(other));
  }

  /** Deletes its objects. Those that have to wait keep the definition waiting. */
  async #cleanUp(crd: Crd): Promise<void> {
    const storage = storageOf(crd);
    if (!crd.isEstablished || !storage) {
      await this.#update(crd.name, (old) => release(old, NEVER_ESTABLISHED, this.#now()));
      return;
    }
    await this.#update(crd.name, (old) => withCrdCondition(old, DELETION_IN_PROGRESS, this.#now()));
    const prefix = prefixOf(storage, '');
    this.#waitFor(crd.name, prefix);
    for (const { value } of this.#parts.store.list(prefix).objects) {
      await this.#delete(storage, value);
    }
    if (this.#parts.store.list(prefix, { limit: 1 }).objects.length > 0) return;
    this.#stopWaiting(crd.name);
    await this.#update(crd.name, (old) => release(old, DELETION_COMPLETED, this.#now()));
  }

  async #delete(definition: KindDefinition, object: JsonObject): Promise<void> {
    const { name, namespace, deletionTimestamp } = metadataOf(object);
    if (deletionTimestamp !== undefined) return;
    const target = { definition, namespace: textOf(namespace), name: textOf(name) };
    const options = readDeleteOptions(new URLSearchParams(), {});
    await this.#parts.registry.remove(target, options).catch((error: unknown) => {
      if (!(error instanceof StatusError) || error.code !== 404) throw error;
    });
  }

  #waitFor(name: string, prefix: string): void {
    if (this.#waiting.has(name)) return;
    const { store } = this.#parts;
    const leave = store.watch(prefix, store.revision, ({ type }) => {
      if (type === 'delete') this.#look(name);
    });
    this.#waiting.set(name, leave);
  }

  #stopWaiting(name: string): void {
    this.#waiting.get(name)?.();
    this.#waiting.delete(name);
  }

  #neighboursOf(object: JsonObject): readonly JsonObject[] {
    const { group, name } = readCrd(object);
    return this.#parts.store
      .list(PREFIX)
      .objects.map(({ value }) => value)
      .filter((other) => nameOf(other) !== name && readCrd(other).group === group);
  }

  async #update(name: string, change: (old: JsonObject) => JsonObject): Promise<void> {
    const target = { definition: customResourceDefinitions, namespace: '', name };
    await this.#parts.registry.update({ ...target, subresource: 'status', change });
  }

  #now(): string {
    return formatTime(this.#parts.clock.now());
  }
}

function resourceKey({ group, resource }: Pick<KindDefinition, 'group' | 'resource'>): string {
  return `${group}/${resource}`;
}

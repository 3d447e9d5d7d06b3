/**
 * Namespace controller: deletes the content of terminating namespaces, then removes their finalizer.
 *
 *     terminating ──> delete pods and wait ──> delete everything else and wait ──> finalizer removed
 *
 * Objects are deleted as by any client: pods get their grace period, and finalizers are respected. Pods are
 * deleted first, because a running pod may still need its Secrets, its service account and its network
 * policy. Each deletion in a terminating namespace triggers another check; the content is watched only while
 * a namespace is terminating.
 */
import { formatTime } from '../../../api/values/time.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { KindDefinition } from '../../objects/kind.ts';
import { changeStructAt, objectsAt, valueAt } from '../../objects/field-path.ts';
import { namespaces } from '../../kinds/core/namespace.ts';
import { pods } from '../../kinds/core/pods.ts';
import { apiServices } from '../../kinds/extension/api-service.ts';
import { withField } from '../../../api/validation/json-changes.ts';
import { readTexts } from '../../../api/validation/json-reading.ts';
import { metadataOf } from '../../objects/metadata.ts';
import { keyOf, prefixOf, type Target } from '../../registry/registry.ts';
import type { RemoteContents } from '../../objects/remote-apis.ts';
import type { ServerParts } from '../../registry/server-parts.ts';
import { unexpected } from '../../objects/status.ts';
import type { Controller } from '../controller.ts';
import { removeIfThere, isMissing } from '../deletion-request.ts';
import { follow } from '../../registry/object-feed.ts';
import { readKey } from '../object-key.ts';
import { storedKinds } from '../stored-kinds.ts';
import { WorkQueue } from '../work-queue.ts';
import { discoveryMessage, namespaceConditions, type Emptying } from './namespace-conditions.ts';
import { evaluateRemains, type Remains } from './namespace-content.ts';

const FINALIZER = 'kubernetes';
const API_SERVICES = prefixOf(apiServices, '');
/** Half of the time that Kubernetes expects finalizers to take, and a second. */
const REMOTE_CHECK_MS = 8000;

export class NamespaceController implements Controller {
  readonly #parts: ServerParts;
  readonly #queue: WorkQueue;
  readonly #leave: () => void;
  /** Terminating namespaces. */
  readonly #going = new Set<string>();
  #leaveContent: (() => void) | null = null;

  constructor(parts: ServerParts) {
    this.#parts = parts;
    const { clock, random, log } = parts;
    const work = (name: string): Promise<void> => this.#empty(name);
    this.#queue = new WorkQueue({ clock, random, log, name: 'namespace', work });
    this.#leave = follow(parts.store, prefixOf(namespaces, ''), ({ type, key, value }) => {
      this.#see(readKey(key).name, type === 'put' && needsEmptying(value));
    });
  }

  async stop(): Promise<void> {
    this.#leave();
    this.#leaveContent?.();
    await this.#queue.stop();
  }

  #see(name: string, isGoing: boolean): void {
    if (isGoing) {
      this.#going.add(name);
      this.#leaveContent ??= this.#followContent();
      this.#queue.add(name);
      return;
    }
    this.#going.delete(name);
    if (this.#going.size > 0) return;
    this.#leaveContent?.();
    this.#leaveContent = null;
  }

  /** Each deletion may have been the last one; and another API server may be available by now. */
  #followContent(): () => void {
    const { store } = this.#parts;
    return store.watch('/', store.revision, ({ type, key }) => {
      if (key.startsWith(API_SERVICES)) for (const name of this.#going) this.#queue.add(name);
      const { namespace } = readKey(key);
      if (type === 'delete' && this.#going.has(namespace)) this.#queue.add(namespace);
    });
  }

  async #empty(name: string): Promise<void> {
    const namespace = this.#parts.store.get(keyOf(targetOf(name)))?.value;
    if (!namespace || !needsEmptying(namespace)) return;
    const running = await this.#purge(namespace, name, pods);
    if (running.count > 0) {
      // The other kinds have not been checked yet, so no condition mentions them.
      const { failures } = emptyingOf([[pods, running]]);
      await this.#record(name, { failures, remaining: new Map(), finalizers: new Map() });
      this.#wait(name, [running]);
      return;
    }
    const kinds = storedKinds(this.#parts.catalog, ['delete', 'list']).filter(
      (definition) => definition.namespaced && definition !== pods,
    );
    const remains: (readonly [KindDefinition, Remains])[] = [[pods, running]];
    // One kind after the other: objects of one kind may block those of another, as quotas do.
    for (const kind of kinds) remains.push([kind, await this.#purge(namespace, name, kind)]);
    const remote = await this.#parts.remoteApis.purge(name);
    await this.#record(name, withRemote(emptyingOf(remains), remote));
    this.#wait(
      name,
      remains.map(([, one]) => one),
    );
    this.#waitForRemote(name, remote);
    const isEmpty = remains.every(([, { count }]) => count === 0);
    if (isEmpty && remote.remains.every(({ count }) => count === 0)) await this.#release(name);
  }

  /** Changes at other API servers are not seen here, so they are asked again. */
  #waitForRemote(name: string, { undiscovered, remains }: RemoteContents): void {
    if (undiscovered.size > 0) throw unexpected(discoveryMessage(undiscovered));
    const failure = remains.find((one) => one.failure !== null)?.failure ?? null;
    if (failure !== null) throw unexpected(failure);
    if (remains.some(({ count }) => count > 0)) this.#queue.addAfter(name, REMOTE_CHECK_MS);
  }

  async #purge(namespace: JsonObject, name: string, definition: KindDefinition): Promise<Remains> {
    const { store, registry, clock } = this.#parts;
    const prefix = prefixOf(definition, name);
    // An object that cannot be decrypted cannot be deleted either, so the namespace must wait for it.
    const before = store.list(prefix, { strict: true }).objects;
    const options = { propagation: 'Background' } as const;
    const results = await Promise.allSettled(
      before.map(({ key }) =>
        removeIfThere(registry, { definition, namespace: name, name: readKey(key).name }, options),
      ),
    );
    const after = store.list(prefix).objects;
    const values = {
      before: before.map(({ value }) => value),
      after: after.map(({ value }) => value),
    };
    const remains = evaluateRemains(namespace, definition, values, clock.now());
    const failed = results.find((result) => result.status === 'rejected');
    return failed ? { ...remains, failure: messageOf(failed.reason) } : remains;
  }

  async #record(name: string, emptying: Emptying): Promise<void> {
    const { registry, clock } = this.#parts;
    const change = (old: JsonObject): JsonObject => {
      if (!needsEmptying(old)) return old;
      const conditions = objectsAt(old, 'status.conditions');
      const next = namespaceConditions(conditions, emptying, formatTime(clock.now()));
      return changeStructAt(old, 'status', (status) =>
        withField(
          next === conditions ? status : withField(status, 'conditions', next),
          'phase',
          'Terminating',
        ),
      );
    };
    await registry
      .update({ ...targetOf(name), subresource: 'status', change })
      .catch(ignoreMissing);
  }

  async #release(name: string): Promise<void> {
    const change = (old: JsonObject): JsonObject =>
      needsEmptying(old)
        ? changeStructAt(old, 'spec', (spec) =>
            withField(
              spec,
              'finalizers',
              finalizersOf(old)
                .filter((one) => one !== FINALIZER)
                .toSorted(),
            ),
          )
        : old;
    const target = { ...targetOf(name), subresource: 'finalize' };
    await this.#parts.registry.update({ ...target, change }).catch(ignoreMissing);
  }

  /**
   * Schedules the next check at the end of the grace period. After a failure it throws, so that the queue
   * retries with back-off. Each deletion triggers a check, too.
   */
  #wait(name: string, remains: readonly Remains[]): void {
    const failure = remains.find((one) => one.failure !== null)?.failure ?? null;
    if (failure !== null) throw unexpected(failure);
    const ends = remains.flatMap(({ graceEndsMs }) => graceEndsMs ?? []);
    if (ends.length === 0) return;
    this.#queue.addAfter(name, Math.max(...ends) - this.#parts.clock.now());
  }
}

function needsEmptying(namespace: JsonObject): boolean {
  const isDeleted = metadataOf(namespace)['deletionTimestamp'] !== undefined;
  return isDeleted && finalizersOf(namespace).includes(FINALIZER);
}

function finalizersOf(namespace: JsonObject): readonly string[] {
  return readTexts(valueAt(namespace, 'spec.finalizers'));
}

function targetOf(name: string): Target {
  return { definition: namespaces, namespace: '', name };
}

function emptyingOf(all: readonly (readonly [KindDefinition, Remains])[]): Emptying {
  const remaining = new Map<string, number>();
  const finalizers = new Map<string, number>();
  for (const [{ group, resource }, { count, finalizers: names }] of all) {
    if (count > 0) remaining.set(`${resource}.${group}`, count);
    for (const name of names) finalizers.set(name, (finalizers.get(name) ?? 0) + 1);
  }
  return { failures: all.flatMap(([, { failure }]) => failure ?? []), remaining, finalizers };
}

function withRemote(own: Emptying, { undiscovered, remains }: RemoteContents): Emptying {
  const remaining = new Map(own.remaining);
  const finalizers = new Map(own.finalizers);
  for (const { group, resource, count, finalizers: names } of remains) {
    if (count > 0) remaining.set(`${resource}.${group}`, count);
    for (const name of names) finalizers.set(name, (finalizers.get(name) ?? 0) + 1);
  }
  const failures = [...own.failures, ...remains.flatMap(({ failure }) => failure ?? [])];
  return { failures, remaining, finalizers, undiscovered };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function ignoreMissing(error: unknown): void {
  if (!isMissing(error)) throw error;
}

/**
 * Keeps the APIServices of the versions that this server serves itself: of built-in kinds, and of every
 * CustomResourceDefinition. A local APIService is always available.
 */
import type { JsonObject } from '../../lib/json.ts';
import { readFlag, readText } from '../../api/validation/json-reading.ts';
import { customResourceDefinitions } from '../custom/custom-resource-definition.ts';
import { METRICS_GROUP } from '../metrics-api/metrics-kinds.ts';
import { objectsAt, textAt } from '../objects/field-path.ts';
import { metadataOf, nameOf, textOf } from '../objects/metadata.ts';
import { follow } from '../registry/object-feed.ts';
import { prefixOf } from '../registry/registry.ts';
import type { ServerParts } from '../registry/server-parts.ts';
import { isCustomKind } from '../schema/custom-object.ts';
import type { Controller } from '../controllers/controller.ts';
import { isAlreadyThere, removeIfThere } from '../controllers/deletion-request.ts';
import { WorkQueue } from '../controllers/work-queue.ts';
import { isRemote, LOCAL } from './api-service-condition.ts';
import { CUSTOM_PRIORITIES, prioritiesOf } from './api-service-priorities.ts';
import {
  API_SERVICES,
  findApiService,
  targetOfApiService,
  writeAvailability,
} from './api-service-store.ts';
import {
  apiServiceOf,
  decideRegistration,
  specOf,
  type DesiredApiService,
} from './registration.ts';

const DEFINITIONS = prefixOf(customResourceDefinitions, '');

export class RegistrationController implements Controller {
  readonly #parts: ServerParts;
  readonly #queue: WorkQueue;
  readonly #builtIn: ReadonlyMap<string, DesiredApiService>;
  readonly #atStart: ReadonlySet<string>;
  readonly #synced = new Set<string>();
  readonly #leave: readonly (() => void)[];

  constructor(parts: ServerParts) {
    this.#parts = parts;
    const { clock, random, log, store } = parts;
    const work = (name: string): Promise<void> => this.#reconcile(name);
    this.#queue = new WorkQueue({ clock, random, log, name: 'apiservice-registration', work });
    this.#builtIn = builtInVersions(parts);
    this.#atStart = new Set(store.list(API_SERVICES).objects.map(({ value }) => nameOf(value)));
    this.#leave = [
      follow(store, DEFINITIONS, ({ value, before }) => {
        for (const crd of [value, ...(before ? [before] : [])]) this.#addVersions(crd);
      }),
      follow(store, API_SERVICES, ({ value }) => this.#queue.add(nameOf(value))),
    ];
    for (const name of this.#builtIn.keys()) this.#queue.add(name);
  }

  async stop(): Promise<void> {
    for (const leave of this.#leave) leave();
    await this.#queue.stop();
  }

  #addVersions(crd: JsonObject): void {
    const group = textAt(crd, 'spec.group');
    for (const { name } of objectsAt(crd, 'spec.versions')) {
      this.#queue.add(`${readText(name)}.${group}`);
    }
  }

  async #reconcile(name: string): Promise<void> {
    const desired = this.#builtIn.get(name) ?? this.#custom(name);
    const current = findApiService(this.#parts, name);
    const hasSynced = this.#synced.has(name);
    const facts = { desired, current, hasSynced, isOld: this.#atStart.has(name) };
    const { registry } = this.#parts;
    const target = targetOfApiService(name);
    switch (decideRegistration(facts)) {
      case 'keep':
        break;
      case 'create':
        if (desired) {
          const body = apiServiceOf(desired);
          await registry.create({ ...target, body, isExempt: true }).catch(ignoreExisting);
        }
        break;
      case 'correct':
        if (desired) {
          const change = (old: JsonObject): JsonObject => ({ ...old, spec: specOf(desired) });
          await registry.update({ ...target, change, isExempt: true });
        }
        break;
      case 'delete': {
        const uid = textOf(metadataOf(current ?? {})['uid']);
        await removeIfThere(registry, target, { uid });
        break;
      }
    }
    this.#synced.add(name);
    await writeAvailability(this.#parts, name, LOCAL, (now) => !isRemote(now));
  }

  /** Undefined: no definition serves such a version. */
  #custom(name: string): DesiredApiService | undefined {
    const dot = name.indexOf('.');
    const [version, group] = [name.slice(0, dot), name.slice(dot + 1)];
    const isServed = this.#parts.store
      .list(DEFINITIONS)
      .objects.some(
        ({ value }) =>
          textAt(value, 'spec.group') === group &&
          objectsAt(value, 'spec.versions').some(
            (one) => one['name'] === version && readFlag(one['served']),
          ),
      );
    if (!isServed) return undefined;
    return { group, version, priorities: CUSTOM_PRIORITIES, managed: 'true', yields: false };
  }
}

function builtInVersions({ catalog }: ServerParts): ReadonlyMap<string, DesiredApiService> {
  const found = new Map<string, DesiredApiService>();
  for (const kind of catalog.all()) {
    const { group, version } = kind;
    const priorities = prioritiesOf(group, version);
    if (isCustomKind(kind) || !priorities) continue;
    const yields = group === METRICS_GROUP;
    const managed = yields ? 'true' : 'onstart';
    found.set(`${version}.${group}`, { group, version, priorities, managed, yields });
  }
  return found;
}

function ignoreExisting(error: unknown): void {
  if (!isAlreadyThere(error)) throw error;
}

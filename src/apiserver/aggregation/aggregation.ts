/**
 * The APIServices that name a Service, found by the version that they serve.
 *
 * Every request asks whether its version is among them, and in most clusters there are none. So only this
 * index is always in memory; the aggregator itself is loaded when the first APIService enters the index.
 */
import { assert } from '../../lib/assert.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { ObjectStore } from '../../ports/api/object-store.ts';
import { nameOf } from '../objects/metadata.ts';
import { follow } from '../registry/object-feed.ts';
import type { RemoteApis, RemoteContents, RemoteVersion } from '../objects/remote-apis.ts';
import type { ServerParts } from '../registry/server-parts.ts';
import type { Aggregator, AggregatorDeps } from './aggregator.ts';
import { isRemote, versionOf } from './api-service-condition.ts';
import { API_SERVICES } from './api-service-store.ts';

export class Aggregation implements RemoteApis {
  readonly #deps: AggregatorDeps;
  readonly #remote = new Map<string, JsonObject>();
  readonly #leave: () => void;
  #parts: ServerParts | undefined;
  #loading: Promise<Aggregator> | undefined;
  #loaded: Aggregator | undefined;
  #isRunning = false;
  #isStopped = false;

  constructor(store: ObjectStore, deps: AggregatorDeps) {
    this.#deps = deps;
    this.#leave = follow(store, API_SERVICES, ({ type, value, before }) => {
      for (const old of [value, ...(before ? [before] : [])]) {
        this.#remote.delete(keyOfVersion(versionOf(old)));
      }
      if (type === 'delete' || !isRemote(value)) return;
      this.#remote.set(keyOfVersion(versionOf(value)), value);
      if (this.#isRunning) this.#load();
    });
  }

  /** The parts of the server, which are made after this one. */
  attach(parts: ServerParts): void {
    this.#parts = parts;
  }

  /** From now on the availability of APIServices is checked. */
  run(): void {
    this.#isRunning = true;
    if (this.#remote.size > 0) this.#load();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#leave();
    await (await this.#loading)?.stop();
  }

  has(group: string, version: string): boolean {
    return this.#remote.size > 0 && this.#remote.has(keyOfVersion({ group, version }));
  }

  find(version: RemoteVersion): JsonObject | undefined {
    return this.#remote.get(keyOfVersion(version));
  }

  get isEmpty(): boolean {
    return this.#remote.size === 0;
  }

  all(): readonly RemoteVersion[] {
    return [...this.#remote.values()].map(versionOf);
  }

  discoveryOf(version: RemoteVersion): JsonObject {
    const unknown = { version: version.version, resources: [], freshness: 'Stale' };
    return this.#loaded?.discovery.describe(version) ?? unknown;
  }

  documents(): ReadonlyMap<string, string> {
    const found = this.all().map((version) => {
      const { group, version: name } = version;
      return [`apis/${group}/${name}`, this.#loaded?.discovery.documentOf(version)] as const;
    });
    return new Map(found.flatMap(([name, address]) => (address ? [[name, address]] : [])));
  }

  async purge(namespace: string): Promise<RemoteContents> {
    if (this.isEmpty) return { undiscovered: new Map(), remains: [] };
    const apiServices = [...this.#remote.values()].toSorted((a, b) =>
      nameOf(a) < nameOf(b) ? -1 : 1,
    );
    return (await this.aggregator()).purge(namespace, apiServices);
  }

  aggregator(): Promise<Aggregator> {
    return (this.#loading ??= this.#create());
  }

  #load(): void {
    this.aggregator().then(
      (aggregator) => {
        if (!this.#isStopped) aggregator.start();
      },
      (error: unknown) => this.#parts?.log.error('failed to load the aggregator', { error }),
    );
  }

  async #create(): Promise<Aggregator> {
    const { Aggregator } = await import('./aggregator.ts');
    const parts = this.#parts;
    assert(parts !== undefined, 'the parts of the server are attached before its first request');
    this.#loaded = new Aggregator(parts, this.#deps);
    return this.#loaded;
  }
}

function keyOfVersion({ group, version }: RemoteVersion): string {
  return `${group}/${version}`;
}

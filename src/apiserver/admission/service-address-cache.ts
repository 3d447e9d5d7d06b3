/**
 * Tracks which cluster IPs and node ports are in use: by Services in the store, which this cache follows, and
 * by Services that are about to be stored.
 *
 *     hold, while webhooks are called ──refused──> free
 *       │
 *     reserve ──> commit ──store notifies──> held ──service gone or changed──> free
 *                    └──failed──> free
 *
 * A reservation ends when all commits that were in flight have settled: by then the store has notified this
 * cache of the Service, or never will. So no address or port is allocated twice, and none leaks.
 */
import type { JsonObject } from '../../lib/json.ts';
import type { ObjectStore } from '../../ports/api/object-store.ts';
import { follow } from '../registry/object-feed.ts';
import { needsHealthPort, nodePortsOf } from '../kinds/networking/service-transition.ts';
import { readNumber, readStruct, readText, readTexts } from '../../api/validation/json-reading.ts';

const SERVICES = '/core/services/';

export class ServiceAddressCache {
  readonly #store: ObjectStore;
  /** The keys of the Services that use an address or port. */
  readonly #holders = new Map<string, Set<string>>();
  readonly #reserved = new Map<string, { readonly key: string }>();

  constructor(store: ObjectStore) {
    this.#store = store;
    follow(store, SERVICES, ({ type, key, value, before }) => {
      for (const thing of before ? heldBy(before) : []) this.#release(thing, key);
      for (const thing of type === 'put' ? heldBy(value) : []) this.#hold(thing, key);
    });
  }

  /** Whether no other Service uses or reserves it. */
  isFree(thing: string, key: string): boolean {
    const holders = this.#holders.get(thing);
    const isHeld = holders !== undefined && !(holders.size === 1 && holders.has(key));
    const reservation = this.#reserved.get(thing);
    return !isHeld && (!reservation || reservation.key === key);
  }

  /**
   * Reserves for a Service whose webhooks are still being called. Returns a function that ends the
   * reservation.
   */
  hold(things: readonly string[], key: string): () => void {
    const reservation = { key };
    for (const thing of things) this.#reserved.set(thing, reservation);
    return () => this.#end(things, reservation);
  }

  /** Must be called synchronously before the commit. Replaces a reservation by `hold`. */
  reserve(things: readonly string[], key: string): void {
    if (things.length === 0) return;
    const reservation = { key };
    for (const thing of things) this.#reserved.set(thing, reservation);
    const end = (): void => this.#end(things, reservation);
    // An empty commit settles after all earlier commits, whether they succeed or fail.
    void Promise.resolve()
      .then(() => this.#store.commit([]))
      .then(end, end);
  }

  #end(things: readonly string[], reservation: { readonly key: string }): void {
    for (const thing of things) {
      if (this.#reserved.get(thing) === reservation) this.#reserved.delete(thing);
    }
  }

  #hold(thing: string, key: string): void {
    const holders = this.#holders.get(thing);
    if (holders) holders.add(key);
    else this.#holders.set(thing, new Set([key]));
  }

  #release(thing: string, key: string): void {
    const holders = this.#holders.get(thing);
    holders?.delete(key);
    if (holders?.size === 0) this.#holders.delete(thing);
  }
}

export function addressThing(address: string): string {
  return `address ${address}`;
}

export function portThing(port: number): string {
  return `port ${port}`;
}

/** The addresses and ports of a Service, each once. */
export function heldBy(service: JsonObject): ReadonlySet<string> {
  const spec = readStruct(service['spec']);
  const addresses = spec['type'] === 'ExternalName' ? [] : addressesOf(spec);
  const health = needsHealthPort(spec) ? readNumber(spec['healthCheckNodePort']) : 0;
  return new Set([
    ...addresses.map(addressThing),
    ...nodePortsOf(spec).map(portThing),
    ...(health > 0 ? [portThing(health)] : []),
  ]);
}

/** Empty for a service without an address. */
export function addressesOf(spec: JsonObject): readonly string[] {
  const listed = readTexts(spec['clusterIPs']);
  const all = listed.length > 0 ? listed : [readText(spec['clusterIP'])];
  return all.filter((address) => address !== '' && address !== 'None');
}

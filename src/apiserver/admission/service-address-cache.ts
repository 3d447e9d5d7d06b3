/**
 * Which addresses and node ports are taken: by services in the store, which this cache follows, and by those
 * on their way into it.
 *
 *     hold, while webhooks are asked ──refused──> free
 *       │
 *     reserve ──> commit ──store notifies──> held ──service gone or changed──> free
 *                    └──failed──> free
 *
 * A reservation ends when all commits that were in flight have settled: by then the store has notified of the
 * service, or it never will. So nothing is given out twice, and nothing leaks.
 */
import type { JsonObject } from '../../lib/json.ts';
import type { ObjectStore } from '../../ports/api/object-store.ts';
import { follow } from '../registry/object-feed.ts';
import { needsHealthPort, nodePortsOf } from '../kinds/networking/service-transition.ts';
import { readNumber, readStruct, readText, readTexts } from '../../api/validation/json-reading.ts';

const SERVICES = '/core/services/';

export class ServiceAddressCache {
  readonly #store: ObjectStore;
  /** Keys of services by the address or port that they hold. */
  readonly #holders = new Map<string, Set<string>>();
  readonly #reserved = new Map<string, { readonly key: string }>();

  constructor(store: ObjectStore) {
    this.#store = store;
    follow(store, SERVICES, ({ type, key, value, before }) => {
      for (const thing of before ? heldBy(before) : []) this.#release(thing, key);
      for (const thing of type === 'put' ? heldBy(value) : []) this.#hold(thing, key);
    });
  }

  /** Free for this service: no other one has it. */
  isFree(thing: string, key: string): boolean {
    const holders = this.#holders.get(thing);
    const isHeld = holders !== undefined && !(holders.size === 1 && holders.has(key));
    const reservation = this.#reserved.get(thing);
    return !isHeld && (!reservation || reservation.key === key);
  }

  /** For a service that waits for webhooks before its commit. Returns the end of the reservation. */
  hold(things: readonly string[], key: string): () => void {
    const reservation = { key };
    for (const thing of things) this.#reserved.set(thing, reservation);
    return () => this.#end(things, reservation);
  }

  /** To be called synchronously before the commit. Takes the place of a reservation by `hold`. */
  reserve(things: readonly string[], key: string): void {
    if (things.length === 0) return;
    const reservation = { key };
    for (const thing of things) this.#reserved.set(thing, reservation);
    const end = (): void => this.#end(things, reservation);
    // An empty commit settles after all before it, whether they succeed or fail.
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

/** The addresses and ports of a service, each once. */
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

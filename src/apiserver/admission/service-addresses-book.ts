/**
 * Which addresses and node ports are taken: by services in the store, which it follows, and by those
 * that are on their way into it.
 *
 *     reserve ──> commit ──told by the store──> held ──service gone or changed──> free
 *                    └──failed──> free
 *
 * A reservation ends when all commits that were under way have settled: by then the store has told
 * of the service, or it never will. So nothing is given away twice, and nothing is lost.
 */
import type { JsonObject } from '../../lib/json.ts';
import type { ObjectStore } from '../../ports/object-store.ts';
import { follow } from '../controllers/object-feed.ts';
import { needsHealthPort, nodePortsOf } from '../kinds/service-transition.ts';
import { readNumber, readStruct, readText, readTexts } from '../kinds/validation/json-reading.ts';

const SERVICES = '/core/services/';

export class AddressBook {
  readonly #store: ObjectStore;
  /** Keys of services by what they hold. */
  readonly #holders = new Map<string, Set<string>>();
  readonly #reserved = new Map<string, { readonly key: string }>();

  constructor(store: ObjectStore) {
    this.#store = store;
    follow(store, SERVICES, ({ type, key, value, before }) => {
      for (const thing of before ? heldBy(before) : []) this.#release(thing, key);
      for (const thing of type === 'put' ? heldBy(value) : []) this.#hold(thing, key);
    });
  }

  /** For anybody but this service. */
  isFree(thing: string, key: string): boolean {
    const holders = this.#holders.get(thing);
    const isHeld = holders !== undefined && !(holders.size === 1 && holders.has(key));
    const reservation = this.#reserved.get(thing);
    return !isHeld && (!reservation || reservation.key === key);
  }

  /** To be called before the commit, in the same breath. */
  reserve(things: readonly string[], key: string): void {
    if (things.length === 0) return;
    const reservation = { key };
    for (const thing of things) this.#reserved.set(thing, reservation);
    const end = (): void => {
      for (const thing of things) {
        if (this.#reserved.get(thing) === reservation) this.#reserved.delete(thing);
      }
    };
    // An empty commit waits for all before it, whatever becomes of them.
    void Promise.resolve()
      .then(() => this.#store.commit([]))
      .then(end, end);
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

/** What a service holds, each thing once. */
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

/** None for a service that wants none. */
export function addressesOf(spec: JsonObject): readonly string[] {
  const listed = readTexts(spec['clusterIPs']);
  const all = listed.length > 0 ? listed : [readText(spec['clusterIP'])];
  return all.filter((address) => address !== '' && address !== 'None');
}

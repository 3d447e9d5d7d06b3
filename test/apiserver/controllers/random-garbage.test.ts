/**
 * Random families, deleted in random ways, compared with a model that has no queues and no finalizers.
 *
 * The model has one law: an object whose owners are all gone is gone too. Foreground and background
 * deletion differ in the order, never in what is left.
 */
import { expect, test } from 'vitest';
import { textOf } from '../../../src/apiserver/objects/metadata.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { seededRandom } from '../../../src/platform/seeded-random.ts';
import type { Random } from '../../../src/ports/random.ts';
import { ControllerHarness } from './controller-harness.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const ROLES = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
const POLICIES = ['Background', 'Foreground', 'Orphan'] as const;

interface Known {
  readonly path: string;
  readonly reference: JsonObject;
}

class Family {
  readonly harness: ControllerHarness;
  readonly random: Random;
  /** The existing objects, with the names of their owners. */
  readonly model = new Map<string, Set<string>>();
  readonly #known = new Map<string, Known>();
  #count = 0;

  constructor(harness: ControllerHarness, seed: number) {
    this.harness = harness;
    this.random = seededRandom(seed);
  }

  async step(): Promise<void> {
    const dice = this.random.next();
    if (this.model.size < 4 || dice < 0.45) await this.#create();
    else if (dice < 0.65) await this.#adopt();
    else await this.#delete();
  }

  async #create(): Promise<void> {
    const isRole = this.random.next() < 0.2;
    const name = `${isRole ? 'role' : 'map'}${this.#count++}`;
    const owners = isRole ? [] : this.#pickSome();
    const ownerReferences = owners.map((owner) => this.#refer(owner));
    const collection = isRole ? ROLES : MAPS;
    const { apiVersion, kind, metadata } = await this.harness.make(collection, name, {
      metadata: { ownerReferences },
    });
    const uid = metadata['uid'] ?? '';
    const reference = { apiVersion: apiVersion ?? '', kind: kind ?? '', name, uid };
    this.#known.set(name, { path: `${collection}/${name}`, reference });
    this.model.set(name, new Set(owners));
  }

  /** An object gets new owners, possibly its own descendants or itself. */
  async #adopt(): Promise<void> {
    const name = this.#pick([...this.model.keys()].filter((one) => one.startsWith('map')));
    if (name === undefined) return;
    const owners = this.#pickSome();
    const ownerReferences = owners.map((owner) => this.#refer(owner));
    await this.harness.patch(this.#pathOf(name), { metadata: { ownerReferences } });
    this.model.set(name, new Set(owners));
  }

  async #delete(): Promise<void> {
    const name = this.#pick([...this.model.keys()]);
    const policy = this.#pick(POLICIES);
    if (name === undefined || policy === undefined) return;
    await this.harness.remove(this.#pathOf(name), { propagationPolicy: policy });
    this.model.delete(name);
    if (policy !== 'Orphan') return;
    for (const owners of this.model.values()) owners.delete(name);
  }

  /** Until nothing more follows. */
  settleModel(): void {
    for (let isChanged = true; isChanged;) {
      isChanged = false;
      for (const [name, owners] of this.model) {
        const alive = [...owners].filter((owner) => this.model.has(owner));
        if (alive.length === 0 && owners.size > 0) isChanged = this.model.delete(name);
        else this.model.set(name, new Set(alive));
      }
    }
  }

  async found(): Promise<Readonly<Record<string, readonly string[]>>> {
    const objects = [...(await this.harness.list(ROLES)), ...(await this.harness.list(MAPS))];
    return Object.fromEntries(
      objects.map(({ metadata }) => [
        metadata['name'],
        ((metadata['ownerReferences'] ?? []) as readonly JsonObject[])
          .map((reference) => textOf(reference['name']))
          .toSorted(),
      ]),
    );
  }

  expected(): Readonly<Record<string, readonly string[]>> {
    return Object.fromEntries([...this.model].map(([name, owners]) => [name, [...owners].sort()]));
  }

  #pathOf(name: string): string {
    return this.#known.get(name)?.path ?? '';
  }

  #refer(name: string): JsonObject {
    const never = { apiVersion: 'v1', kind: 'ConfigMap', name, uid: `no-${name}` };
    const reference = this.#known.get(name)?.reference ?? never;
    return this.random.next() < 0.5 ? { ...reference, blockOwnerDeletion: true } : reference;
  }

  #pickSome(): readonly string[] {
    const count = Math.floor(this.random.next() * 4);
    const picked = Array.from({ length: count }, () =>
      this.random.next() < 0.1 ? 'never' : (this.#pick([...this.model.keys()]) ?? 'never'),
    );
    return [...new Set(picked)];
  }

  #pick<Item>(items: readonly Item[]): Item | undefined {
    return items[Math.floor(this.random.next() * items.length)];
  }
}

const seeds = Array.from({ length: 25 }, (_, index) => index + 1);

test.each(seeds)('exactly what should be left is left (seed %i)', async (seed) => {
  const harness = await ControllerHarness.open({ controllers: ['garbage-collector'], seed });
  const family = new Family(harness, seed);
  for (let step = 0; step < 40; step++) {
    await family.step();
    await harness.settle(10_000);
    family.settleModel();
    expect(await family.found(), `after step ${step}`).toEqual(family.expected());
  }
});

test.each(seeds)('whatever happens at once, no object waits endlessly (seed %i)', async (seed) => {
  const harness = await ControllerHarness.open({ controllers: ['garbage-collector'], seed });
  const family = new Family(harness, seed + 1000);
  for (let round = 0; round < 8; round++) {
    for (let step = 0; step < 8; step++) await family.step();
    await harness.settle(3_600_000);
    const objects = [...(await harness.list(ROLES)), ...(await harness.list(MAPS))];
    const names = new Set(objects.map(({ metadata }) => metadata['name']));
    for (const { metadata } of objects) {
      expect(metadata).not.toHaveProperty('finalizers');
      expect(metadata).not.toHaveProperty('deletionTimestamp');
      const owners = (metadata['ownerReferences'] ?? []) as readonly JsonObject[];
      expect(owners.filter(({ name }) => !names.has(name ?? ''))).toEqual([]);
    }
    for (const name of family.model.keys()) if (!names.has(name)) family.model.delete(name);
  }
});

/** Performs a plan on a cluster, watches it, and records what it has requested. */
import assert from 'node:assert/strict';
import { rmSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Ledger } from './ledger.ts';
import { logFaults } from './logs.ts';
import { Model, unfinished, unsettled, type Circumstances } from './model.ts';
import type { NodeProcess } from './node-process.ts';
import { API_SLOTS, type Act, type LifePlan } from './plan.ts';
import { FINALIZER, podOf } from './pods.ts';
import { uidOf, type PodView } from './pod-view.ts';
import { PODS, type TestCluster } from './test-cluster.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const GENERATION = 'generation';
const WATCH_MS = 150;
const MERGE = 'merge-patch+json';

interface Slot {
  generation: number;
  /** Undefined: it is unknown whether it exists. */
  isThere: boolean | undefined;
}

export class Churn {
  readonly model = new Model();
  readonly #cluster: TestCluster;
  readonly #slots = new Map<number, Slot>();
  /** How many kills there had been when a pod was created, by name; of static ones by generation too. */
  readonly #born = new Map<string, number>();
  readonly #configs = { written: 0, asked: 0 };
  #kills = 0;

  constructor(cluster: TestCluster) {
    this.#cluster = cluster;
  }

  /** One life of podkeep: acts, checks and the kill, all at once. */
  async live(plan: LifePlan): Promise<void> {
    const podkeep = this.#cluster.launch();
    const killed = this.#killLater(podkeep, plan);
    killed.catch(() => {}); // awaited below
    try {
      await podkeep.event('serving');
      await this.#begin();
      await Promise.all([this.#act(plan.acts, podkeep), this.#watch(podkeep)]);
    } catch (error) {
      if (!isDying(podkeep)) throw error; // otherwise the connection broke, as intended
    }
    await killed;
    this.#kills++;
  }

  async #killLater(podkeep: NodeProcess, { killFrom, killMs }: LifePlan): Promise<void> {
    if (killFrom === 'node') await podkeep.event('node');
    await delay(killMs);
    dying.add(podkeep);
    assert.equal(await podkeep.kill('SIGKILL'), 'SIGKILL', podkeep.given);
  }

  /** Finds the outcome of requests that were never answered. */
  async #begin(): Promise<void> {
    const pods = await this.#cluster.pods();
    for (const [index, slot] of this.#slots) {
      if (slot.isThere !== undefined || index >= API_SLOTS) continue;
      const pod = pods.find(({ metadata }) => metadata.name === nameOf(index, slot));
      slot.isThere = pod !== undefined && pod.metadata.deletionTimestamp === undefined;
    }
    await this.#cluster.client.send('POST', CONFIG_MAPS, configMap(0));
    const { data } = await this.#cluster.client.get<{ data: { value: string } }>(
      `${CONFIG_MAPS}/config`,
    );
    this.#configs.written = Number(data.value);
  }

  async #act(acts: readonly Act[], podkeep: NodeProcess): Promise<void> {
    for (const act of acts) {
      await delay(act.waitMs);
      if (isDying(podkeep)) return;
      if (act.choice === 'configure' && this.#slots.get(act.slot)?.isThere) await this.#configure();
      else if (act.slot < API_SLOTS) await this.#turn(act);
      else this.#turnStatic(act);
    }
  }

  async #configure(): Promise<void> {
    const value = ++this.#configs.asked;
    const { code, text } = await this.#cluster.client.send(
      'PUT',
      `${CONFIG_MAPS}/config`,
      configMap(value),
    );
    assert.equal(code, 200, text);
    this.#configs.written = value;
  }

  async #turn(act: Act): Promise<void> {
    const slot = this.#slot(act.slot);
    const wasThere = slot.isThere;
    slot.isThere = undefined;
    if (wasThere) {
      await this.#cluster.delete(nameOf(act.slot, slot));
    } else {
      slot.generation++;
      const name = nameOf(act.slot, slot);
      this.#born.set(name, this.#kills);
      const pod = podOf({ ...act, name }, this.#cluster.ledger);
      const finalizers = act.isKept ? [FINALIZER] : [];
      await this.#cluster.create({
        ...pod,
        metadata: { ...(pod['metadata'] as object), finalizers },
      });
    }
    slot.isThere = !wasThere;
  }

  /** A manifest is added, removed, or replaced by another one of the same name. */
  #turnStatic(act: Act): void {
    const slot = this.#slot(act.slot);
    const file = path.join(this.#cluster.manifests, `s${act.slot}.json`);
    const goes = slot.isThere && act.code % 2 === 0;
    slot.generation++;
    slot.isThere = !goes;
    if (goes) {
      rmSync(file);
      return;
    }
    const name = `s${act.slot}`;
    const pod = podOf({ ...act, name, kind: 'lasting' }, this.#cluster.ledger);
    const metadata = { ...(pod['metadata'] as { labels: object }) };
    const labels = { ...metadata.labels, [GENERATION]: String(slot.generation) };
    this.#born.set(`${name}-node/${slot.generation}`, this.#kills);
    const draft = path.join(this.#cluster.folder, 'draft.json');
    writeFileSync(draft, JSON.stringify({ ...pod, metadata: { ...metadata, labels } }), {
      mode: 0o644,
    });
    renameSync(draft, file);
  }

  #slot(index: number): Slot {
    const slot = this.#slots.get(index) ?? { generation: 0, isThere: false };
    this.#slots.set(index, slot);
    return slot;
  }

  async #watch(podkeep: NodeProcess): Promise<void> {
    while (!isDying(podkeep)) {
      await this.#look();
      await delay(WATCH_MS);
    }
  }

  /** Compares every status with the ledger, and releases deleted pods whose last status is right. */
  async #look(): Promise<readonly PodView[]> {
    const before = new Map([...this.#slots].map(([index, { generation }]) => [index, generation]));
    const pods = await this.#cluster.pods();
    const ledger = this.#cluster.readLedger();
    for (const pod of pods) {
      const isStopping = this.#isStopping(pod, before);
      this.model.observe(pod, ledger, isStopping);
      const isKept = pod.metadata.finalizers?.includes(FINALIZER) ?? false;
      if (!pod.metadata.deletionTimestamp || !isKept) continue;
      if (unfinished(pod, ledger, this.#circumstances(pod)).length > 0) continue;
      const body = { metadata: { finalizers: null } };
      await this.#cluster.client.send('PATCH', `${PODS}/${pod.metadata.name}`, body, MERGE);
    }
    return pods;
  }

  /** The API does not show that the manifest of a static pod has changed. */
  #isStopping(pod: PodView, before: ReadonlyMap<number, number>): boolean {
    if (pod.metadata.deletionTimestamp) return true;
    const generation = pod.metadata.labels?.[GENERATION];
    if (generation === undefined) return false;
    const index = Number(/^s(\d+)/.exec(pod.metadata.name)?.[1]);
    const slot = this.#slots.get(index);
    return (
      !slot?.isThere || [slot.generation, before.get(index)].some((n) => n !== Number(generation))
    );
  }

  #circumstances(pod: PodView): Circumstances {
    const { name, labels = {} } = pod.metadata;
    const generation = labels[GENERATION];
    const key = generation === undefined ? name : `${name}/${generation}`;
    const born = this.#born.get(key);
    if (born === undefined) throw new Error(`nobody made ${key}`);
    return { kills: this.#kills - born };
  }

  /** When the acts have ended, everything soon converges. */
  async settle(): Promise<void> {
    await this.#begin();
    await this.#cluster.settle(async () => {
      const pods = await this.#look();
      const ledger = this.#cluster.readLedger();
      return [...this.#absent(pods), ...pods.flatMap((pod) => this.#unsettled(pod, ledger))];
    });
  }

  #unsettled(pod: PodView, ledger: Ledger): readonly string[] {
    const circumstances = this.#circumstances(pod);
    if (pod.metadata.deletionTimestamp) {
      const problems = unfinished(pod, ledger, circumstances);
      return problems.length > 0 ? problems : [`${pod.metadata.name} is still there`];
    }
    const config = ledger.config(uidOf(pod), 'main');
    const isStale = config !== undefined && Number(config) !== this.#configs.written;
    return [
      ...unsettled(pod, ledger, circumstances),
      ...(isStale
        ? [`${pod.metadata.name} sees config ${config}, not ${this.#configs.written}`]
        : []),
      ...logFaults(this.#cluster.data, pod, ledger),
    ];
  }

  /** Pods that should exist and do not, and the other way round. */
  #absent(pods: readonly PodView[]): readonly string[] {
    const wanted = [...this.#slots].flatMap(([index, slot]) =>
      slot.isThere ? [index < API_SLOTS ? nameOf(index, slot) : `s${index}-node`] : [],
    );
    const found = pods.flatMap(({ metadata }) =>
      metadata.deletionTimestamp ? [] : [metadata.name],
    );
    return [
      ...wanted.filter((name) => !found.includes(name)).map((name) => `${name} is not there`),
      ...found.filter((name) => !wanted.includes(name)).map((name) => `${name} should be gone`),
    ];
  }

  /** Deletes everything, and returns when it is gone. */
  async clear(): Promise<void> {
    for (const [index, slot] of this.#slots) {
      if (!slot.isThere) continue;
      slot.isThere = false;
      if (index < API_SLOTS) await this.#cluster.delete(nameOf(index, slot));
      else rmSync(path.join(this.#cluster.manifests, `s${index}.json`));
    }
    await this.#cluster.settle(async () => {
      const pods = await this.#look();
      return pods.map(({ metadata }) => `${metadata.name} is still there`);
    });
  }
}

const dying = new WeakSet<NodeProcess>();

function isDying(podkeep: NodeProcess): boolean {
  return dying.has(podkeep) || podkeep.result !== undefined;
}

function nameOf(index: number, { generation }: Slot): string {
  return `p${index}-${generation}`;
}

function configMap(value: number) {
  return { metadata: { name: 'config', namespace: 'default' }, data: { value: String(value) } };
}

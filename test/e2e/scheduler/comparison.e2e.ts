/**
 * podkeep's scheduler against the real kube-scheduler: for generated clusters both find the same nodes that
 * fit, with the same scores, or refuse the pod with the same message and preempt the same pods.
 *
 * PODKEEP_SCHEDULER_CASES sets how many clusters are tried, PODKEEP_SCHEDULER_SEED the first one. By default the
 * same twelve are tried everywhere, so that a difference does not show on fast machines only.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Cluster } from '../../../src/apiserver/controllers/scheduler/cluster.ts';
import { startFilterCycle } from '../../../src/apiserver/controllers/scheduler/filters/filter-cycle.ts';
import { findDefaultSelector } from '../../../src/apiserver/controllers/scheduler/default-selector.ts';
import { namedNodes } from '../../../src/apiserver/controllers/scheduler/node-affinity.ts';
import {
  findNodes,
  placePod,
  type PlacementDeps,
} from '../../../src/apiserver/controllers/scheduler/placement.ts';
import { viewPod, type PodView } from '../../../src/apiserver/controllers/scheduler/pod-view.ts';
import { scoreNodes } from '../../../src/apiserver/controllers/scheduler/scores/score-plugins.ts';
import { StoredStorage } from '../../../src/apiserver/controllers/scheduler/storage/storage-reader.ts';
import { jsonEqual } from '../../../src/api/values/json-equal.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { textOf } from '../../../src/apiserver/objects/metadata.ts';
import { generateCluster, type GeneratedObject } from './generated-cluster.ts';
import { ReferenceScheduler } from './reference-scheduler.ts';

const STANDARD_CASES = 12;
/** Preemption is rare in generated clusters, and is among the twelve from here on. */
const STANDARD_SEED = 69;
const CASES = readCount('PODKEEP_SCHEDULER_CASES', STANDARD_CASES);
const FIRST = readCount('PODKEEP_SCHEDULER_SEED', STANDARD_SEED);
const MS_PER_CASE = 5000;
const ATTEMPTS = 30;
const ATTEMPT_MS = 100;

interface Decision {
  /** The score of each node that fits; 0 if only one does, because it is not scored. */
  readonly scores: Readonly<Record<string, number>>;
  readonly message: string;
  readonly nominated: string;
  readonly victims: readonly string[];
}

let reference: ReferenceScheduler;

beforeAll(async () => {
  reference = await ReferenceScheduler.start();
});

afterAll(() => reference.stop());

test(
  'decides as kube-scheduler in generated clusters',
  async () => {
    const seen = { fits: 0, refused: 0, preempts: 0 };
    const different: unknown[] = [];
    for (let seed = FIRST; seed < FIRST + CASES; seed++) {
      const { own, real } = await compare(seed);
      if (!jsonEqual(plain(own), plain(real))) different.push({ seed, own, real });
      if (real.message === '') seen.fits += 1;
      else if (real.nominated === '') seen.refused += 1;
      else seen.preempts += 1;
    }
    console.log(`${CASES} clusters: ${JSON.stringify(seen)}`);
    // One of them again: PODKEEP_SCHEDULER_SEED=… PODKEEP_SCHEDULER_CASES=1
    expect(different).toEqual([]);
    const isStandard = CASES === STANDARD_CASES && FIRST === STANDARD_SEED;
    const missing = Object.entries(seen).filter(([, count]) => isStandard && count === 0);
    expect(missing, 'kinds of decisions that were not compared').toEqual([]);
  },
  30_000 + CASES * MS_PER_CASE,
);

/** Throws if it is not a whole number from 1 on: with no cluster the test could not fail. */
function readCount(variable: string, standard: number): number {
  const count = Number(process.env[variable] ?? standard);
  if (!Number.isSafeInteger(count) || count < 1) throw new Error(`${variable} must be 1 or more`);
  return count;
}

async function compare(seed: number): Promise<{ own: Decision; real: Decision }> {
  const { storage, nodes, pods, pending } = generateCluster(seed);
  const before = [...storage, ...nodes, ...pods];
  for (const object of before) await reference.create(object);
  for (const node of nodes) await reference.untilSeen('Add', 'node', node);
  for (const pod of pods) await reference.untilSeen('Add', 'scheduled pod', pod);
  const created = await reference.create(pending);
  const own = decide(created);
  const claims = storage.filter(({ path }) => path.endsWith('/persistentvolumeclaims'));
  const real = await realDecision(pending, pods, claims, own.victims.length);
  for (const object of [pending, ...before.toReversed()]) await reference.remove(object);
  for (const node of nodes) await reference.untilSeen('Delete', 'node', node);
  reference.forgetLog();
  return { own, real };
}

async function realDecision(
  pending: GeneratedObject,
  pods: readonly GeneratedObject[],
  claims: readonly GeneratedObject[],
  victimsExpected: number,
): Promise<Decision> {
  const pod = await reference.untilDecided(pending, claims);
  const { conditions } = pod['status'] as { readonly conditions: readonly JsonObject[] };
  const refusal = conditions.find(({ status }) => status === 'False');
  if (!refusal) {
    const scored = reference.scoresOf(`default/${pending.body.metadata.name}`);
    const only = { [(pod['spec'] as { readonly nodeName: string }).nodeName]: 0 };
    const scores = scored.size === 0 ? only : Object.fromEntries(scored);
    return { scores, message: '', nominated: '', victims: [] };
  }
  const status = pod['status'] as { readonly nominatedNodeName?: string };
  const nominated = status.nominatedNodeName ?? '';
  const victims = nominated === '' ? [] : await preemptedOf(pods, victimsExpected);
  return { scores: {}, message: textOf(refusal['message']), nominated, victims };
}

/** Deletion follows the status of the pod that preempts, so it may take a moment. */
async function preemptedOf(
  pods: readonly GeneratedObject[],
  expected: number,
): Promise<readonly string[]> {
  let victims: readonly string[] = [];
  for (let attempt = 0; attempt < ATTEMPTS && victims.length < expected; attempt++) {
    await sleep(ATTEMPT_MS);
    const found = await Promise.all(pods.map((pod) => reference.get(pod)));
    victims = found
      .map((pod) => pod['metadata'] as JsonObject)
      .filter((metadata) => metadata['deletionTimestamp'] !== undefined)
      .map((metadata) => textOf(metadata['name']));
  }
  return victims.toSorted(byName);
}

function decide(created: JsonObject): Decision {
  const { store } = reference.server.parts;
  const cluster = new Cluster();
  const at = (prefix: string): readonly { key: string; value: JsonObject }[] => [
    ...store.list(prefix).objects,
  ];
  for (const { value } of at('/core/namespaces/')) cluster.putNamespace(value);
  for (const { value } of at('/core/nodes/')) cluster.putNode(value);
  let pending: PodView | null = null;
  for (const { key, value } of at('/core/pods/')) {
    const view = viewPod(key, value);
    if (view.nodeName !== '') cluster.putPod(view);
    else if (view.uid === (created['metadata'] as JsonObject)['uid']) pending = view;
  }
  if (!pending) throw new Error('the pending pod is missing');
  return decisionOf(pending, depsOf(cluster));
}

function depsOf(cluster: Cluster): PlacementDeps {
  const { store } = reference.server.parts;
  return {
    cluster,
    storage: new StoredStorage(store),
    promises: { volumes: new Set(), nodes: new Map() },
    budgets: () => [],
    defaultSelector: (pod) => findDefaultSelector(store, pod),
    chance: () => 0,
    start: { index: 0 },
  };
}

function decisionOf(pod: PodView, deps: PlacementDeps): Decision {
  const placement = placePod(pod, deps);
  if (placement.type === 'unschedulable') {
    const { message, preemption } = placement;
    const victims = (preemption?.victims ?? []).map(({ name }) => name).toSorted(byName);
    return { scores: {}, message, nominated: preemption?.node ?? '', victims };
  }
  const cycle = startFilterCycle(pod, placement.claims, deps);
  const { fitting } = findNodes(pod, cycle, namedNodes(pod.object), deps);
  const [only, ...others] = fitting;
  if (only && others.length === 0) {
    return { scores: { [only.name]: 0 }, message: '', nominated: '', victims: [] };
  }
  const { cluster } = deps;
  const scored = scoreNodes(pod, fitting, {
    cluster,
    defaultSelector: () => deps.defaultSelector(pod),
  });
  const scores = Object.fromEntries(scored.map(({ node, total }) => [node.name, total]));
  return { scores, message: '', nominated: '', victims: [] };
}

function plain(decision: Decision): JsonObject {
  const { scores, message, nominated, victims } = decision;
  return { scores, message, nominated, victims: [...victims] };
}

function byName(a: string, b: string): number {
  return a < b ? -1 : 1;
}

/**
 * The expectations of a converged world, as errors about those that do not hold yet. None left: the world
 * has converged. (Invariants 7, 9, 12 and 18.)
 */
import { isConditionTrue } from '../../src/api/condition.ts';
import type { Pod, PodStatus } from '../../src/api/pod.ts';
import { isOwned } from '../../src/core/pod-status/condition-ownership.ts';
import {
  isBeingDeleted,
  isMirrorPod,
  isSidecar,
  isTerminalPhase,
} from '../../src/core/pod/pod-facts.ts';
import { findNewest } from '../../src/core/pod/runtime-facts.ts';
import { restartsAfterExit } from '../../src/core/pod-actions/restart-policy.ts';
import type { Life } from './life.ts';
import { REFUSED, sourceUidOf } from './pod-templates.ts';
import { fingerprint } from './status-model.ts';
import type { World } from './world.ts';

export function* problems(world: World): Generator<string> {
  const { life } = world;
  if (!life) {
    yield 'podkeep is down';
    return;
  }
  for (const pod of world.api.pods()) {
    if (isMirrorPod(pod)) yield* problemOfMirror(world, pod);
    else yield* problemOfPod(world, pod);
  }
  yield* problemOfStaticPods(world);
  yield* problemOfNode(world);
  yield* problemOfUnrest(world, life);
}

function* problemOfPod(world: World, pod: Pod): Generator<string> {
  const { uid = '', deletionGracePeriodSeconds } = pod.metadata;
  if (deletionGracePeriodSeconds !== undefined) yield `${uid} was deleted and is still there`;
  yield* problemOfStatus(world, uid, pod);
  if (isTerminalPhase(pod.status?.phase)) {
    if (world.runtime.records.isAlive(uid)) yield `${uid} is over, but it runs`;
    if (world.volumes.isHeldBy(uid)) yield `${uid} is over, but its volumes are mounted`;
    if (isUnsaid(world, pod)) yield `${uid} was evicted, but it says ${pod.status?.reason}`;
    if (mayNotEnd(world, pod)) yield `${uid} should run, but it is ${pod.status?.phase}`;
  } else {
    yield* problemOfRunning(world, uid, pod);
  }
}

/**
 * The message of an eviction reaches the API, unless another writer wrote last, or it came with a
 * status that had to be refused. A pod whose containers all exited with 0 has Succeeded, as in the
 * kubelet, and then shows no eviction (KL-22).
 */
function isUnsaid({ kills, statuses }: World, { metadata, status }: Pod): boolean {
  const { uid = '' } = metadata;
  const isDue = kills.evictedNow.has(uid) && !statuses.wasEndedByOthers(uid);
  if (statuses.wasRefused(uid)) return false;
  return isDue && status?.phase === 'Failed' && status.reason !== 'Evicted';
}

/** Nothing asked it to end, and it cannot end by itself. */
function mayNotEnd({ kills, statuses }: World, { metadata, spec }: Pod): boolean {
  const { uid = '', annotations } = metadata;
  if (spec.restartPolicy !== 'Always' || annotations?.[REFUSED] !== undefined) return false;
  return !kills.wasKilled(uid) && !statuses.wasEndedByOthers(uid);
}

/** The API has what podkeep accepted last (invariant 7). */
function* problemOfStatus({ statuses }: World, uid: string, pod: Pod): Generator<string> {
  const newest = statuses.newest(uid);
  if (!newest) {
    yield `${uid} has no accepted status`;
    return;
  }
  const [inApi, wanted] = [ownPart(pod.status ?? {}), ownPart(newest)];
  if (inApi !== wanted) yield `7: ${uid} is ${inApi} in the API, but ${wanted} was accepted`;
}

/** The fields that podkeep alone decides. A terminal pod is never ready, whatever was accepted (SM-85). */
function ownPart(status: PodStatus): string {
  const { phase, podIP, startTime, observedGeneration, reason, message } = status;
  const isOver = isTerminalPhase(phase);
  const conditions = (status.conditions ?? [])
    .filter(({ type }) => isOwned(type) && !(isOver && type.endsWith('Ready')))
    .map(({ type, status: value, reason: why }) => `${type}=${value}/${why ?? ''}`)
    .sort();
  const facts = { phase, reason, message, podIP, startTime, observedGeneration, conditions };
  return `${JSON.stringify(facts)} ${fingerprint(status)}`;
}

function* problemOfRunning(world: World, uid: string, pod: Pod): Generator<string> {
  const { spec, status = {} } = pod;
  const seen = world.runtime.records.look(uid);
  const sidecars = (spec.initContainers ?? []).filter(isSidecar);
  let ended = 0;
  for (const container of [...sidecars, ...spec.containers]) {
    const newest = findNewest(seen, container.name);
    const shown = [
      ...(status.initContainerStatuses ?? []),
      ...(status.containerStatuses ?? []),
    ].find(({ name }) => name === container.name);
    if (newest?.state === 'running') {
      const isShown = shown?.state?.running && shown.containerID === newest.id;
      if (!isShown) yield `${uid}: ${newest.id} runs, but the API does not say so`;
      else if (!shown.ready) yield `${uid}: ${newest.id} is not ready`;
      if (newest.image !== container.image) yield `${uid}: ${newest.id} is ${newest.image}`;
    } else if (newest && !restartsAfterExit(container, spec, newest.exitCode ?? 0)) {
      ended += 1;
      const exitCode = shown?.state?.terminated?.exitCode;
      if (exitCode !== newest.exitCode) yield `${uid}: ${newest.id} ended with another code`;
    } else {
      yield `${uid}: ${container.name} does not run`;
    }
  }
  if (ended === spec.containers.length) yield `${uid} has ended, but it is ${status.phase}`;
  if (status.phase !== 'Running') yield `${uid} is ${status.phase}`;
  if (ended === 0 && !isConditionTrue(status.conditions, 'Ready')) yield `${uid} is not ready`;
}

function* problemOfMirror(world: World, mirror: Pod): Generator<string> {
  const uid = sourceUidOf(mirror);
  const { name } = mirror.metadata;
  const isNamed = world.manifests.pods().some((pod) => pod.metadata.name === name);
  if (!isNamed) yield `${mirror.metadata.uid} mirrors nothing`;
  if (!world.runtime.records.isAlive(uid)) return;
  if (isBeingDeleted(mirror)) yield `${mirror.metadata.uid} was deleted and is still there`;
  yield* problemOfStatus(world, uid, mirror);
}

/** Of each full name one pod runs, and the API shows it. */
function* problemOfStaticPods(world: World): Generator<string> {
  const { manifests, runtime, kills, api } = world;
  for (const name of new Set(manifests.pods().map(({ metadata }) => metadata.name ?? ''))) {
    const pods = manifests.pods().filter(({ metadata }) => metadata.name === name);
    // A sandbox alone does not count: one may be left over from a podkeep that crashed.
    const running = pods.filter(({ metadata: { uid = '' } }) => {
      return runtime.records.running(uid).length > 0;
    });
    const [pod] = running;
    if (!pod) {
      const isOwed = pods.some(({ metadata: { uid = '' } }) => {
        return !kills.isKilled(uid) && !kills.wasEvicted(uid);
      });
      if (isOwed) yield `no pod of ${name} runs`;
      continue;
    }
    const { uid = '', namespace = '' } = pod.metadata;
    if (running.length > 1) yield `${running.length} pods of ${name} run`;
    const mirror = api.find({ name, namespace });
    if (!mirror || sourceUidOf(mirror) !== uid) yield `${uid} has no mirror`;
    else yield* problemOfRunning(world, uid, { ...mirror, spec: pod.spec });
  }
}

function* problemOfNode({ runtime, volumes, api, manifests, kills }: World): Generator<string> {
  const desired = new Set([...api.pods(), ...manifests.pods()].map(({ metadata }) => metadata.uid));
  for (const { pod } of runtime.records.all()) {
    if (runtime.records.isAlive(pod.uid) && !desired.has(pod.uid)) yield `${pod.uid} runs unwanted`;
  }
  for (const uid of volumes.holders()) {
    if (!desired.has(uid)) yield `the volumes of ${uid} are mounted for nobody`;
  }
  for (const uid of kills.open) yield `9: a kill of ${uid} is not complete`;
}

function* problemOfUnrest({ work, requests }: World, life: Life): Generator<string> {
  if (!work.isIdle) yield 'there is work in flight';
  for (const uid of work.failed) {
    if (life.pods.find(uid)) yield `the last work for ${uid} failed`;
  }
  if (!requests.isIdle) yield 'there are requests under way';
  if (!life.watch.isQuiet) yield 'the watch has more to tell';
  for (const one of life.eviction.pressures()) yield `the node still has ${one}`;
  const { recipes, status, workers } = life.clocks;
  const awake = life.pods.uids().filter((uid) => life.workers.couldHaveRunningContainers(uid));
  const timers = [recipes.pending, status.pending, workers.pending].join();
  const expected = [0, 1, awake.length].join();
  if (timers !== expected) yield `timers of recipes, status, workers: ${timers}, not ${expected}`;
}

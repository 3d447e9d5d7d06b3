/** Acts on the node: manifests, containers, probes, kills, and podkeep itself. */
import type { Pod, PodStatus } from '../../src/api/pod.ts';
import { isMirrorPod } from '../../src/core/pod/pod-facts.ts';
import type { Act, Scene } from './acts.ts';
import { apiPod, staticPod } from './pod-templates.ts';

export const MANIFEST_ACTS: readonly Act[] = [
  { name: 'admin: writes a manifest', weight: 5, play: writeManifest },
  { name: 'admin: writes a rival manifest', weight: 2, play: writeRival },
  { name: 'admin: changes a manifest', weight: 5, play: changeManifest },
  { name: 'admin: removes a manifest', weight: 3, play: removeManifest },
  { name: 'admin: moves a manifest away and back', weight: 4, play: restoreManifest },
  { name: 'user: deletes a mirror', weight: 3, play: deleteMirror },
];

export const CONTAINER_ACTS: readonly Act[] = [
  { name: 'container: exits', weight: 10, play: exitContainer },
  { name: 'container: vanishes', weight: 1, play: loseContainer },
  { name: 'sandbox: dies', weight: 2, play: breakSandbox },
  { name: 'container: readiness flips', weight: 8, play: flipProbe },
  { name: 'container: gets stuck', weight: 2, play: stickContainer },
  { name: 'runtime: runs a pod that nobody knows', weight: 2, play: addOrphan },
];

export const KILL_ACTS: readonly Act[] = [
  { name: 'node: evicts a pod', weight: 3, play: evictPod },
  { name: 'node: kills a pod', weight: 2, play: killPod },
  { name: 'node: kills and waits', weight: 1, play: killAndWait },
];

const FILES = [
  { file: 'static-a.yaml', name: 'static-a' },
  { file: 'static-b.yaml', name: 'static-b' },
] as const;

export function writeManifest({ world, dice }: Scene): string | null {
  const free = dice.pick(FILES.filter(({ file }) => !world.manifests.find(file)));
  if (!free) return null;
  const pod = staticPod(free.name, world.newUid(free.name), dice);
  world.manifests.write(free.file, pod);
  return `${free.file} ${pod.metadata.uid}`;
}

/** Another manifest with a pod of the same name: only one of them may run. */
function writeRival({ world, dice }: Scene): string | null {
  const name = dice.oneOf('static-a', 'static-b');
  const pod = staticPod(name, world.newUid(name), dice);
  world.manifests.write(`${name}-rival.yaml`, pod);
  return `${name}-rival.yaml ${pod.metadata.uid}`;
}

/** The pod in it gets another UID; the old one has to end first. */
function changeManifest({ world, dice }: Scene): string | null {
  const found = dice.pick(FILES.filter(({ file }) => world.manifests.find(file)));
  if (!found) return null;
  const pod = staticPod(found.name, world.newUid(found.name), dice);
  world.manifests.write(found.file, pod);
  return `${found.file} ${pod.metadata.uid}`;
}

function removeManifest({ world, dice }: Scene): string | null {
  const files = FILES.flatMap(({ file, name }) => [file, `${name}-rival.yaml`]);
  const file = dice.pick(files.filter((each) => world.manifests.find(each)));
  if (file === undefined) return null;
  world.manifests.remove(file);
  return file;
}

/** The same UID comes back, before or after its old pod has ended (PW-14, PW-83). */
function restoreManifest({ world, dice }: Scene): string | null {
  const found = dice.pick(FILES.filter(({ file }) => world.manifests.find(file)));
  const pod = found && world.manifests.find(found.file);
  if (!pod) return null;
  world.manifests.remove(found.file);
  const delayMs = dice.oneOf(10, 500, 2500, 4000, 9000);
  world.clock.after(delayMs, () => {
    if (!world.manifests.find(found.file)) world.manifests.write(found.file, pod);
  });
  return `${found.file} for ${delayMs} ms`;
}

function deleteMirror({ world, dice }: Scene): string | null {
  const mirror = dice.pick(world.api.pods().filter(isMirrorPod));
  if (!mirror) return null;
  const { uid = '' } = mirror.metadata;
  const seconds = dice.oneOf(0, 30);
  world.api.delete(uid, seconds);
  return `${uid} within ${seconds} s`;
}

function pickRunning({ world, dice }: Scene): { uid: string; id: string } | null {
  const { records } = world.runtime;
  const running = records
    .all()
    .flatMap(({ pod: { uid } }) => records.running(uid).map(({ id }) => ({ uid, id })));
  return dice.pick(running) ?? null;
}

function exitContainer(scene: Scene): string | null {
  const found = pickRunning(scene);
  if (!found) return null;
  const { uid, id } = found;
  const exitCode = scene.dice.oneOf(0, 1, 2, 137);
  scene.world.runtime.exit(uid, id, exitCode);
  return `${id} of ${uid} with ${exitCode}`;
}

/** An administrator removed it by hand: the runtime has no trace of it. */
function loseContainer(scene: Scene): string | null {
  const found = pickRunning(scene);
  if (!found) return null;
  const { uid, id } = found;
  const { records } = scene.world.runtime;
  scene.world.runtime.exit(uid, id, 137);
  const containers = records.find(uid)?.containers ?? [];
  records.change(uid, { containers: containers.filter((container) => container.id !== id) });
  return `${id} of ${uid}`;
}

/**
 * Not the sandbox of a pod that may not restart: if it was still starting, the kubelet's rules leave it
 * Pending (a new sandbox would be a restart), and so does podkeep.
 */
function breakSandbox({ world, dice }: Scene): string | null {
  const { api, manifests, runtime } = world;
  const alive = [...api.pods(), ...manifests.pods()].filter(({ metadata, spec }) => {
    return spec.restartPolicy !== 'Never' && runtime.records.isAlive(metadata.uid ?? '');
  });
  const uid = dice.pick(alive)?.metadata.uid;
  if (uid === undefined) return null;
  world.runtime.stopSandboxes(uid);
  return uid;
}

function flipProbe(scene: Scene): string | null {
  const found = pickRunning(scene);
  if (!found) return null;
  scene.world.health.flip(found.id);
  return `${found.id} of ${found.uid}`;
}

function stickContainer(scene: Scene): string | null {
  const found = pickRunning(scene);
  if (!found) return null;
  scene.world.health.stick(found.id);
  return `${found.id} of ${found.uid}`;
}

function addOrphan({ world, dice }: Scene): string | null {
  const uid = world.newUid('orphan');
  world.runtime.addOrphan(apiPod(dice.oneOf('web-0', 'orphan'), uid, dice));
  return uid;
}

/** A pod of the node; some callers know it before podkeep's workers do. */
function pickVictim({ world, dice }: Scene): Pod | null {
  const { life } = world;
  if (!life) return null;
  const known = life.pods.uids().flatMap((uid) => life.pods.find(uid)?.pod ?? []);
  const { records } = world.runtime;
  const early = world.manifests
    .pods()
    .filter(({ metadata }) => !records.isAlive(metadata.uid ?? ''));
  return dice.pick([...known, ...early]) ?? null;
}

function evictPod(scene: Scene): string | null {
  const { world, dice } = scene;
  const pod = pickVictim(scene);
  if (!pod || !world.life) return null;
  const { uid = '' } = pod.metadata;
  const graceSeconds = dice.oneOf(0, 1, 5, undefined);
  const { workers, pods } = world.life;
  const isKnown = pods.find(uid) !== undefined && workers.couldHaveRunningContainers(uid);
  world.kills.evicted(uid, isKnown && !workers.isPodTerminationRequested(uid));
  world.life.workers.updatePod({
    updateType: 'kill',
    pod,
    kill: { evict: true, graceSeconds, overrideStatus, completed: world.kills.asked(uid) },
  });
  return `${uid} within ${graceSeconds ?? 'its own'} s`;
}

function killPod(scene: Scene): string | null {
  const { world, dice } = scene;
  const pod = pickVictim(scene);
  if (!pod || !world.life) return null;
  const { uid = '' } = pod.metadata;
  const graceSeconds = dice.oneOf(1, 10, 40, undefined);
  world.life.workers.updatePod({
    updateType: 'kill',
    pod,
    kill: { graceSeconds, completed: world.kills.asked(uid) },
  });
  return `${uid} within ${graceSeconds ?? 'its own'} s`;
}

/** The caller gives up after a while; the kill does not (PW-60). */
function killAndWait(scene: Scene): string | null {
  const { world } = scene;
  const pod = pickVictim(scene);
  if (!pod || !world.life) return null;
  const { uid = '' } = pod.metadata;
  const completed = world.kills.asked(uid);
  world.life.workers.updatePod({ updateType: 'kill', pod, kill: { completed } });
  world.life.workers.killPodNow(pod).then(
    () => world.journal.notify('podkeep', `${uid}: the one who killed it heard of its end`),
    () => world.journal.notify('podkeep', `${uid}: the one who killed it gave up`),
  );
  return uid;
}

function overrideStatus(status: PodStatus): PodStatus {
  const disruption = { type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet' };
  return {
    ...status,
    phase: 'Failed',
    reason: 'Evicted',
    message: 'The node was low on resource: memory.',
    conditions: [
      ...(status.conditions ?? []).filter(({ type }) => type !== disruption.type),
      { type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet' },
    ],
  };
}

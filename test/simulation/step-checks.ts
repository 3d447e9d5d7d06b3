/**
 * Checks between any two steps, when all work has settled. (Invariants 4, 14, 16, 19, 20, 22 and 23.)
 */
import { containersIn } from './status-model.ts';
import type { World } from './world.ts';

export function checkStep(world: World): void {
  if (world.journal.breach) return;
  checkRunning(world);
  checkProbes(world);
  checkHurry(world);
  checkUnsaid(world);
  checkNewest(world);
  world.life?.eviction.check();
  const waiting = world.work.findForgottenInLine();
  if (waiting !== undefined) world.journal.breaks(23, `${waiting} waits for nobody`);
}

function checkRunning({ runtime, journal, life, volumes, work }: World): void {
  const holders = new Map<string, string>();
  for (const { pod, staticName } of runtime.records.all()) {
    const { uid } = pod;
    const [running] = runtime.records.running(uid);
    if (!running) continue;
    if (staticName !== null) {
      const other = holders.get(staticName);
      if (other !== undefined) journal.breaks(4, `${uid} and ${other} run as ${staticName}`);
      holders.set(staticName, uid);
      const last = volumes.holders().find((held) => {
        const isSameName = runtime.records.find(held)?.staticName === staticName;
        return held !== uid && isSameName && work.isStopped(held);
      });
      if (last !== undefined) journal.breaks(4, `${uid} runs, but ${last} holds something`);
    }
    if (life?.workers.isPodKnownTerminated(uid) === true) {
      journal.breaks(16, `${uid}: terminated, but ${running.id} runs`);
    }
    if (life?.pods.find(uid) && !volumes.isHeldBy(uid)) {
      journal.breaks(16, `${uid}: ${running.id} runs without its volumes`);
    }
  }
}

function checkProbes({ life, statuses, journal }: World): void {
  if (!life) return;
  for (const uid of life.pods.uids()) {
    const readiness = life.prober.readiness(uid);
    if (readiness.size === 0) continue;
    for (const { containerID = '', state, started, ready } of containersIn(
      statuses.newest(uid) ?? {},
    )) {
      const found = readiness.get(containerID);
      if (found === undefined || !state?.running || started !== true) continue;
      if (ready !== (found === 'success')) {
        journal.breaks(14, `${uid}: ${containerID} is said to be ${ready ? '' : 'un'}ready`);
      }
    }
  }
}

function checkHurry({ life, work, journal }: World): void {
  if (!life) return;
  for (const [uid, { work: kind, graceSeconds, signal }] of work.inFlight) {
    if (signal.aborted) continue;
    if (kind === 'sync' && life.workers.isPodTerminationRequested(uid)) {
      journal.breaks(19, `${uid}: has to end, but its sync goes on`);
    }
    const granted = life.pods.find(uid)?.pod.metadata.deletionGracePeriodSeconds;
    if (kind === 'stop' && granted !== undefined && granted < (graceSeconds ?? 0)) {
      journal.breaks(19, `${uid}: has ${granted} s left, but stops within ${graceSeconds} s`);
    }
  }
}

function checkUnsaid({ statuses, requests, journal, life }: World): void {
  if (!life) return;
  for (const { uid, target } of statuses.unset()) {
    const { pod, mirrorPod = pod } = life.pods.find(uid) ?? {};
    if (requests.isFree(uid) && mirrorPod?.metadata.uid === target) {
      journal.breaks(20, `${uid}: has a newer status, but nothing is under way`);
    }
  }
}

function checkNewest({ life, work, journal }: World): void {
  if (!life) return;
  for (const uid of life.pods.uids()) {
    if (work.ignores(uid) && !life.workers.isPodTerminationRequested(uid)) {
      journal.breaks(22, `${uid}: was told something, and nothing is done about it`);
    }
  }
}

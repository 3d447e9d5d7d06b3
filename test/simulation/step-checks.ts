/** What is looked at between any two steps, when everybody has come to rest. (Invariants 4, 14, 16, 19.) */
import { containersIn } from './status-model.ts';
import type { World } from './world.ts';

export function checkStep(world: World): void {
  if (world.chronicle.breach) return;
  checkRunning(world);
  checkProbes(world);
  checkHurry(world);
}

function checkRunning({ runtime, chronicle, life, volumes }: World): void {
  const holders = new Map<string, string>();
  for (const { pod, staticName } of runtime.records.all()) {
    const { uid } = pod;
    const [running] = runtime.records.running(uid);
    if (!running) continue;
    if (staticName !== null) {
      const other = holders.get(staticName);
      if (other !== undefined) chronicle.breaks(4, `${uid} and ${other} run as ${staticName}`);
      holders.set(staticName, uid);
    }
    if (life?.workers.isPodKnownTerminated(uid) === true) {
      chronicle.breaks(16, `${uid}: terminated, but ${running.id} runs`);
    }
    if (life?.pods.find(uid) && !volumes.isHeldBy(uid)) {
      chronicle.breaks(16, `${uid}: ${running.id} runs without its volumes`);
    }
  }
}

function checkProbes({ life, statuses, chronicle }: World): void {
  if (!life) return;
  for (const uid of life.pods.uids()) {
    const readiness = life.prober.readiness(uid);
    if (readiness.size === 0) continue;
    for (const { containerID = '', state, started, ready } of containersIn(statuses.newest(uid) ?? {})) {
      const found = readiness.get(containerID);
      if (found === undefined || !state?.running || started !== true) continue;
      if (ready !== (found === 'success')) {
        chronicle.breaks(14, `${uid}: ${containerID} is said to be ${ready ? '' : 'un'}ready`);
      }
    }
  }
}

function checkHurry({ life, work, chronicle }: World): void {
  if (!life) return;
  for (const [uid, { work: kind, graceSeconds, signal }] of work.inFlight) {
    if (signal.aborted) continue;
    if (kind === 'sync' && life.workers.isPodTerminationRequested(uid)) {
      chronicle.breaks(19, `${uid}: has to end, but its sync goes on`);
    }
    const granted = life.pods.find(uid)?.pod.metadata.deletionGracePeriodSeconds;
    if (kind === 'stop' && granted !== undefined && granted < (graceSeconds ?? 0)) {
      chronicle.breaks(19, `${uid}: has ${granted} s left, but stops within ${graceSeconds} s`);
    }
  }
}

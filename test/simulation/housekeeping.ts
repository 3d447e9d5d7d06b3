/**
 * Reconciles every two seconds: forgets finished pods, creates missing ones, stops unwanted ones (KL-64).
 * The order is the kubelet's.
 */
import type { Pod } from '../../src/api/pod.ts';
import { isBeingDeleted, isTerminalPhase } from '../../src/core/pod/pod-facts.ts';
import type { PodWorkers } from '../../src/kubelet/pod-workers/pod-workers.ts';
import type { StatusManager } from '../../src/kubelet/status-manager/status-manager.ts';
import type { MemoryPodManager } from '../support/memory-pod-manager.ts';
import type { KillModel } from './kill-model.ts';
import type { Mirrors } from './mirrors.ts';
import type { RuntimeRecords } from './runtime-records.ts';
import { sourceUidOf } from './pod-templates.ts';
import type { Sources } from './sources.ts';
import type { Volumes } from './volumes.ts';
import type { Weather } from './weather.ts';

export interface HousekeepingOptions {
  readonly pods: MemoryPodManager;
  readonly workers: PodWorkers;
  readonly status: StatusManager;
  readonly sources: Sources;
  readonly mirrors: Mirrors;
  readonly runtime: RuntimeRecords;
  readonly volumes: Volumes;
  readonly kills: KillModel;
  readonly weather: Weather;
}

export function keepHouse(deps: HousekeepingOptions): void {
  const { pods, workers, status, sources, weather, runtime } = deps;
  if (!sources.areReady) return;
  sources.admitKeptBack();
  const desired = pods.uids().flatMap((uid) => pods.find(uid)?.pod ?? []);
  const known = new Set(workers.syncKnownPods(desired).keys());
  if (weather.strikes('runtime: pods cannot be listed')) return;
  status.removeOrphanedStatuses(new Set(desired.map(uidOf)));
  removeOrphanedMirrors(deps);
  for (const pod of desired) if (!known.has(uidOf(pod))) adopt(deps, pod, known);
  for (const { pod } of runtime.all()) {
    const { uid } = pod;
    if (runtime.isAlive(uid) && !known.has(uid)) {
      known.add(uid);
      sources.strangers.add(uid);
      const completed = deps.kills.asked(uid);
      workers.updatePod({
        updateType: 'kill',
        runningPod: pod,
        kill: { graceSeconds: 1, completed },
      });
    }
  }
  collectGarbage(deps, known);
}

/** A desired pod without a worker: created again under its UID, or rejected and now to be deleted. */
function adopt(
  { pods, workers, status, runtime }: HousekeepingOptions,
  pod: Pod,
  known: Set<string>,
): void {
  const uid = uidOf(pod);
  const isOver =
    isTerminalPhase(pod.status?.phase) || isTerminalPhase(status.getPodStatus(uid)?.phase);
  if (!isOver) {
    known.add(uid);
    workers.updatePod({ updateType: 'create', pod, mirrorPod: pods.find(uid)?.mirrorPod });
  } else if (isBeingDeleted(pod) && isTerminalPhase(pod.status?.phase) && !runtime.isAlive(uid)) {
    known.add(uid);
    workers.updatePod({ updateType: 'kill', pod });
  }
}

/** A mirror pod whose manifest is gone is deleted, but not before its static pod has stopped (PW-77). */
function removeOrphanedMirrors({ sources, pods, mirrors, workers }: HousekeepingOptions): void {
  const names = new Set(
    pods.uids().flatMap((uid) => {
      const pod = pods.find(uid)?.pod;
      return pod?.metadata.annotations?.['kubernetes.io/config.source'] === 'file'
        ? [fullNameOf(pod)]
        : [];
    }),
  );
  for (const mirror of sources.mirrors()) {
    const fullName = fullNameOf(mirror);
    if (names.has(fullName) || workers.isPodForMirrorPodTerminatingByFullName(fullName)) continue;
    if (pods.find(sourceUidOf(mirror))) continue;
    void mirrors.remove(mirror);
  }
}

/** What is left of pods that are gone, or that were deleted and have stopped. */
function collectGarbage(
  { runtime, volumes, workers }: HousekeepingOptions,
  known: ReadonlySet<string>,
): void {
  for (const { pod } of runtime.all()) {
    const { uid } = pod;
    if (!runtime.isAlive(uid) && workers.shouldPodContentBeRemoved(uid)) runtime.remove(uid);
  }
  for (const uid of volumes.holders()) {
    if (!known.has(uid) && !runtime.isAlive(uid)) volumes.release(uid);
  }
}

function uidOf({ metadata }: Pod): string {
  return metadata.uid ?? '';
}

function fullNameOf({ metadata }: Pod): string {
  return `${metadata.name}_${metadata.namespace}`;
}

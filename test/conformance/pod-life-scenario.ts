/**
 * Plays the recorded life of a pod under a real kubelet on a whole virtual node, and reports where the
 * two lives differ (test/kubelet/runs/recorded-life.ts).
 */
import { isLoop, liveAgain, type Recording } from '../kubelet/runs/recorded-life.ts';
import { differences, type Difference } from './differences.ts';
import type { Vector } from './vector.ts';

export async function replayPodLife(vector: Vector): Promise<readonly Difference[]> {
  const recording = vector as unknown as Recording;
  const { recorded, ours } = await liveAgain(recording);
  const events = differences(recorded.events, ours.events);
  return [
    ...compareStages(recording, recorded.stages, ours.stages),
    ...prefixed('.events', events),
  ];
}

/** A loop had not ended when the recording did: the lives are compared as far as both go. */
function compareStages(
  recording: Recording,
  recorded: readonly unknown[],
  ours: readonly unknown[],
): readonly Difference[] {
  const length = isLoop(recording) ? Math.min(recorded.length, ours.length) : Infinity;
  const found = differences(recorded.slice(0, length), ours.slice(0, length));
  return prefixed(`${recording.case} .history`, found);
}

function prefixed(prefix: string, found: readonly Difference[]): readonly Difference[] {
  return found.map((each) => ({ ...each, path: `${prefix}${each.path}` }));
}

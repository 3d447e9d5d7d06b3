/**
 * The recorded lives of pods under the kubelet of Kubernetes v1.36.4, played on a whole virtual node:
 * both have the same status at every stage, and the same events (recorded-life.ts).
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { isLoop, liveAgain, type Recording } from './runs/recorded-life.ts';

const FILE = path.join(import.meta.dirname, 'recordings', 'kubelet-v1.36.jsonl');
const RECORDINGS = readFileSync(FILE, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Recording);

test.for(RECORDINGS.filter((recording) => !isLoop(recording)))(
  '$case: podkeep reports what the kubelet reported, stage by stage, with the same events',
  async (recording) => {
    const { ours, recorded } = await liveAgain(recording);
    expect(ours).toEqual(recorded);
  },
);

test.for(RECORDINGS.filter(isLoop))(
  '$case: podkeep goes through the same states in the same order, with the same events',
  async (recording) => {
    const { ours, recorded } = await liveAgain(recording);
    const length = Math.min(ours.stages.length, recorded.stages.length);
    expect(length).toBeGreaterThan(5);
    expect(ours.stages.slice(0, length)).toEqual(recorded.stages.slice(0, length));
    expect(ours.events).toEqual(recorded.events);
  },
);

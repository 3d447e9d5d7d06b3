/**
 * Checks one build of the machines: recordings and vectors first, then scripts, then histories. Prints
 * which check failed and exits with 1; exits with 0 if none did. It is built again for every mutant, so it
 * includes only what the three machines need.
 *
 *     node BUILD REPO SEEDS
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { replayPodWorkersScenario } from '../conformance/pod-workers-scenario.ts';
import { replayStatusManagerScenario } from '../conformance/status-manager-scenario.ts';
import type { Replayer, Vector } from '../conformance/vector.ts';
import { runHistory } from '../simulation/history.ts';
import { playPodWorkerScript } from '../support/pod-worker-script.ts';
import { playStatusManagerScript } from '../support/status-manager-script.ts';
import { checkEviction } from './check-eviction.ts';

const [repo = '.', seeds = '10'] = process.argv.slice(2);

const found = await evaluate().catch((error: unknown) => `threw ${String(error)}`);
if (found !== null) {
  console.log(found);
  process.exitCode = 1;
}
process.exit();

async function evaluate(): Promise<string | null> {
  const eviction = checkEviction(repo);
  if (eviction !== null) return eviction;
  const vectors =
    (await replay('pod-workers-scenarios.jsonl', replayPodWorkersScenario)) ??
    (await replay('status-manager-scenarios.jsonl', replayStatusManagerScenario));
  if (vectors !== null) return vectors;
  const stories =
    (await playStories('pod-worker', playPodWorkerScript)) ??
    (await playStories('status-manager', playStatusManagerScript));
  if (stories !== null) return stories;
  for (let seed = 1; seed <= Number(seeds); seed++) {
    const { breach } = await runHistory(seed);
    if (breach !== null) return `simulation: seed ${seed}, invariant ${breach.invariant}`;
  }
  return null;
}

async function replay(name: string, replayer: Replayer): Promise<string | null> {
  const lines = readFileSync(path.join(repo, 'test', 'vectors', name), 'utf8')
    .trim()
    .split('\n');
  for (const [index, line] of lines.entries()) {
    const found = await replayer(JSON.parse(line) as Vector);
    if (found.length > 0) return `vectors: line ${index + 1} of ${name}`;
  }
  return null;
}

async function playStories(
  machine: string,
  play: (script: string) => Promise<string>,
): Promise<string | null> {
  const folder = path.join(repo, 'test', 'scenarios', machine);
  for (const name of readdirSync(folder)) {
    const script = readFileSync(path.join(folder, name), 'utf8');
    if ((await play(script)) !== script) return `story: ${name}`;
  }
  return null;
}

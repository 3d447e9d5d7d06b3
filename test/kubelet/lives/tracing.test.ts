/** Traces in virtual time: a receiver that is silent does not slow pods. */
import { expect, test } from 'vitest';
import { openNodeTracing } from '../../../src/kubelet/tracing/node-tracing.ts';
import { Registry } from '../../../src/lib/metrics/registry.ts';
import { seededRandom } from '../../../src/platform/seeded-random.ts';
import { scriptsOf } from '../../../src/runtimes/simulated/script.ts';
import { silentLog } from '../../support/silent-ports.ts';
import type { VirtualClock } from '../../support/virtual-clock.ts';
import { livePod, NAMESPACE } from '../runs/live-pod.ts';
import { RunHarness } from '../runs/run-harness.ts';

const NAMES = Array.from({ length: 50 }, (_, index) => `web-${index}`);
const scripts = scriptsOf({ images: { 'busy:1': { createMs: 20, startMs: 30 } } });

/** The statuses of fifty pods that start and are deleted, with the times at which the API had them. */
async function livesOf(harness: RunHarness): Promise<string> {
  for (const name of NAMES) harness.create(livePod(name));
  await harness.pass(5000);
  for (const name of NAMES) harness.delete(name, NAMESPACE);
  await harness.pass(60_000);
  return JSON.stringify([...harness.history]);
}

test('fifty pods live the same life, to the millisecond, whether the receiver of traces is silent or there is none', async () => {
  let posts = 0;
  const tracing = (clock: VirtualClock) =>
    openNodeTracing({
      clock,
      random: seededRandom(1),
      log: silentLog,
      post: () => {
        posts += 1;
        return new Promise(() => {});
      },
      registry: new Registry(),
      nodeName: 'node-1',
      version: '1',
      endpoint: 'localhost:4318',
      samplingRatePerMillion: 1_000_000,
      isRemote: true,
    });
  const traced = await livesOf(new RunHarness({ scripts, tracing }));
  expect(posts).toBeGreaterThan(0);
  expect(traced).toBe(await livesOf(new RunHarness({ scripts })));
});

/**
 * podkeep is killed again and again while pods are created and deleted. Its containers outlive it: the
 * next one knows them all, with counts, logs and exit codes, starts nothing twice and leaves nothing
 * behind.
 *
 * `NODE_KILLS=100 npm run test:slow -- node-kill` for a long run. SEED replays the acts and the times of
 * the kills, but what podkeep does then depends on the machine.
 */
import { expect, onTestFinished, test } from 'vitest';
import { bundlePodkeep } from '../support/podkeep-bundle.ts';
import { Churn } from './node-kill/churn.ts';
import { planOf } from './node-kill/plan.ts';
import { userOf } from './node-kill/users.ts';
import { TestCluster } from './node-kill/test-cluster.ts';

const KILLS = Number(process.env['NODE_KILLS'] ?? 3);
const SEED = Number(process.env['SEED'] ?? 1);
const SECONDS_PER_KILL = 30;

test.for(['root', 'an ordinary user'] as const)(
  'containers outlive every podkeep that is killed, run by %s',
  { timeout: 300_000 + KILLS * SECONDS_PER_KILL * 1000 },
  async (who, context) => {
    console.log(`SEED=${SEED}, ${KILLS} kills`);
    const program = await bundlePodkeep('node-kill');
    const cluster = await TestCluster.make({ program, ...userOf(who, context) });
    onTestFinished(() => cluster.remove());
    const churn = new Churn(cluster);
    for (const plan of planOf(SEED, KILLS)) {
      await churn.live(plan);
      expect(churn.model.faults).toEqual([]);
    }
    const last = await cluster.up();
    await churn.settle();
    expect(churn.model.faults).toEqual([]);
    await churn.clear();
    expect(churn.model.faults).toEqual([]);
    expect(await last.kill('SIGTERM'), last.given).toBe(0);
    await cluster.expectNothingLeft();
    const ledger = cluster.readLedger();
    expect(ledger.open()).toEqual([]);
    console.log(`${ledger.size} runs of containers`);
    expect(ledger.size).toBeGreaterThan(KILLS);
  },
);

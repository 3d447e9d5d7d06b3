/**
 * Many pods, a runtime that fails, hangs and forgets, and a podkeep that crashes. During the storm
 * nothing may run twice; after it, every pod is in its desired state. A failing seed can be replayed.
 */
import { expect, test } from 'vitest';
import { seededRandom } from '../../../src/platform/seeded-random.ts';
import type { RuntimeFault, RuntimeFaults } from '../../../src/runtimes/simulated/faults.ts';
import type { ContainerScript } from '../../../src/runtimes/simulated/script.ts';
import type { RunPodSpec } from '../../../src/api/run-spec.ts';
import { livePod, NAMESPACE } from '../runs/live-pod.ts';
import { RunHarness } from '../runs/run-harness.ts';

const SEEDS = [1, 2, 3, 4, 5];
const PODS = 12;
const ROUNDS = 40;
const SIDECAR = { name: 'side', image: 'busy:1', restartPolicy: 'Always' as const };

interface Dice {
  next(): number;
}

function oneOf<Item>(dice: Dice, items: readonly [Item, ...Item[]]): Item {
  return items[Math.floor(dice.next() * items.length)] ?? items[0];
}

function specOf(dice: Dice): Partial<RunPodSpec> {
  return {
    restartPolicy: oneOf(dice, ['Always', 'OnFailure', 'Never'] as const),
    terminationGracePeriodSeconds: oneOf(dice, [1, 10, 60]),
    containers: [
      { name: 'main', image: 'busy:1' },
      ...(dice.next() < 0.4 ? [{ name: 'other', image: 'busy:1' }] : []),
    ],
    ...(dice.next() < 0.5 && {
      initContainers: [{ name: 'init', image: 'busy:1' }, ...(dice.next() < 0.5 ? [SIDECAR] : [])],
    }),
  };
}

function scriptOf(dice: Dice, name: string): ContainerScript {
  const stop = oneOf<NonNullable<ContainerScript['stop']>>(dice, [
    'ignored',
    { exitCode: 0 },
    { afterMs: 700 },
  ]);
  if (name === 'init') return { lifeMs: 300, exitCode: dice.next() < 0.2 ? 1 : 0, stop };
  const endsByItself = dice.next() < 0.4;
  return {
    startMs: 20,
    stop,
    ...(endsByItself && { lifeMs: dice.next() * 60_000, exitCode: oneOf(dice, [0, 1]) }),
  };
}

function faultsOf(dice: Dice, isStorm: () => boolean): RuntimeFaults {
  return (operation): RuntimeFault | undefined => {
    if (!isStorm() || dice.next() > 0.15) return undefined;
    if (operation === 'execSync') return undefined;
    return oneOf<RuntimeFault>(dice, [
      { error: `${operation} fails` },
      { error: `${operation} fails`, afterEffect: true },
      { delayMs: dice.next() * 3000 },
      { hangs: true },
    ]);
  };
}

/** Fails if a container runs twice, or in a sandbox that was stopped. */
function watch(harness: RunHarness, breaches: string[]): void {
  harness.machine.follow(({ podUid }) => {
    const { containers, sandboxes } = harness.machine.inspect(podUid);
    const running = containers.filter(({ state }) => state === 'running');
    const names = running.map(({ name }) => name);
    if (new Set(names).size < names.length) breaches.push(`${podUid}: ${names.join()} run`);
    const ready = new Set(sandboxes.filter((each) => each.ready).map(({ id }) => id));
    if (running.some(({ sandboxID = '' }) => !ready.has(sandboxID))) {
      breaches.push(`${podUid}: runs without its sandbox`);
    }
  });
}

test.each(SEEDS)(
  'seed %i: nothing runs twice, and everything converges afterwards',
  async (seed) => {
    const dice = seededRandom(seed);
    let isStorm = true;
    const faults = faultsOf(dice, () => isStorm);
    let harness = new RunHarness({ faults, scripts: ({ config }) => scriptOf(dice, config.name) });
    const breaches: string[] = [];
    const deleted = new Set<string>();
    watch(harness, breaches);
    for (let index = 0; index < PODS; index++) harness.create(livePod(`p${index}`, specOf(dice)));
    for (let round = 0; round < ROUNDS; round++) {
      await harness.pass(dice.next() * 10_000);
      const name = `p${Math.floor(dice.next() * PODS)}`;
      const act = dice.next();
      if (act < 0.15 && harness.api.find({ name, namespace: NAMESPACE })) {
        deleted.add(name);
        harness.delete(name, NAMESPACE, oneOf(dice, [1, 5, 30]));
      } else if (act < 0.25) {
        harness.machine.newest(`uid-of-${name}`, 'main')?.exit(oneOf(dice, [0, 1, 139]));
      } else if (act < 0.3) {
        harness.machine.newest(`uid-of-${name}`, 'main')?.lose();
      } else if (act < 0.4) {
        await harness.close();
        await harness.pass(dice.next() * 5000);
        harness = new RunHarness({ after: harness, faults });
      }
    }
    isStorm = false;
    await harness.pass(30 * 60_000);
    const names = Array.from({ length: PODS }, (_, index) => `p${index}`);
    const problems = names.flatMap((name) => problemsWith(harness, name, deleted.has(name)));
    expect({ breaches, problems }).toEqual({ breaches: [], problems: [] });
    await harness.close();
  },
);

/** The API shows what runs; a finished pod runs nothing, and a deleted one is gone. */
function problemsWith(harness: RunHarness, name: string, isDeleted: boolean): readonly string[] {
  const pod = harness.api.find({ name, namespace: NAMESPACE });
  const { containers } = harness.machine.inspect(`uid-of-${name}`);
  const running = containers.filter(({ state }) => state === 'running').map((each) => each.name);
  if (isDeleted) {
    return [
      ...(pod ? [`${name} is still in the API`] : []),
      ...running.map((each) => `${each} of ${name} still runs`),
    ];
  }
  const { phase, containerStatuses = [] } = pod?.status ?? {};
  const isOver = phase === 'Succeeded' || phase === 'Failed';
  const shown = containerStatuses.filter(({ state }) => state?.running).map((each) => each.name);
  const regular = running.filter((each) => each === 'main' || each === 'other');
  const isTrue = shown.toSorted().join() === (isOver ? '' : regular.toSorted().join());
  const words = `${name} is ${phase}, shows ${shown.join()} and runs ${running.join()}`;
  return isTrue && phase !== undefined && !(isOver && running.length > 0) ? [] : [words];
}

/**
 * Many pods, a runtime that fails, hangs and forgets, and a podkeep that crashes. In the storm nothing may
 * run twice; when it is over, every pod is where it should be. A failing seed is a story to replay.
 */
import { expect, test } from 'vitest';
import { seededRandom } from '../../../src/platform/seeded-random.ts';
import type { RuntimeFault, RuntimeFaults } from '../../../src/runtimes/simulated/faults.ts';
import type { ContainerScript } from '../../../src/runtimes/simulated/script.ts';
import type { RunPodSpec } from '../../../src/kubelet/pod-runner/run-spec.ts';
import { livePod, NAMESPACE } from '../runs/live-pod.ts';
import { RunStage } from '../runs/run-stage.ts';

const SEEDS = Array.from({ length: 25 }, (_, i) => i + 100);
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

/** Complains if two of one container run, or one runs in a sandbox that was stopped. */
function watch(stage: RunStage, breaches: string[]): void {
  stage.machine.follow(({ podUid }) => {
    const { containers, sandboxes } = stage.machine.inspect(podUid);
    const running = containers.filter(({ state }) => state === 'running');
    const names = running.map(({ name }) => name);
    if (new Set(names).size < names.length) breaches.push(`${podUid}: ${names.join()} run`);
    const ready = new Set(sandboxes.filter((each) => each.ready).map(({ id }) => id));
    if (running.some(({ sandboxID = '' }) => !ready.has(sandboxID))) {
      breaches.push(`${podUid}: runs without its sandbox`);
    }
  });
}

test.each(SEEDS)('seed %i: nothing runs twice, and when it is over all is well', async (seed) => {
  const dice = seededRandom(seed);
  let isStorm = true;
  const faults = faultsOf(dice, () => isStorm);
  let stage = new RunStage({ hasEvents: false, faults, scripts: ({ config }) => scriptOf(dice, config.name) });
  const breaches: string[] = [];
  const deleted = new Set<string>();
  watch(stage, breaches);
  for (let index = 0; index < PODS; index++) stage.create(livePod(`p${index}`, specOf(dice)));
  for (let round = 0; round < ROUNDS; round++) {
    await stage.pass(dice.next() * 10_000);
    const name = `p${Math.floor(dice.next() * PODS)}`;
    const act = dice.next();
    if (act < 0.15 && stage.api.find({ name, namespace: NAMESPACE })) {
      deleted.add(name);
      stage.delete(name, NAMESPACE, oneOf(dice, [1, 5, 30]));
    } else if (act < 0.25) {
      stage.machine.newest(`uid-of-${name}`, 'main')?.exit(oneOf(dice, [0, 1, 139]));
    } else if (act < 0.3) {
      stage.machine.newest(`uid-of-${name}`, 'main')?.lose();
    } else if (act < 0.4) {
      await stage.close();
      await stage.pass(dice.next() * 5000);
      stage = new RunStage({ hasEvents: false, after: stage, faults });
    }
  }
  isStorm = false;
  await stage.pass(30 * 60_000);
  const names = Array.from({ length: PODS }, (_, index) => `p${index}`);
  const complaints = names.flatMap((name) => complaintsAbout(stage, name, deleted.has(name)));
  expect({ breaches, complaints }).toEqual({ breaches: [], complaints: [] });
  await stage.close();
});

/** What the API shows is what runs; a pod that is over runs nothing, and a deleted one is gone. */
function complaintsAbout(stage: RunStage, name: string, isDeleted: boolean): readonly string[] {
  const pod = stage.api.find({ name, namespace: NAMESPACE });
  const { containers } = stage.machine.inspect(`uid-of-${name}`);
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

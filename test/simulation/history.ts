/**
 * One history: a storm in which everything may fail, and a calm in which everything must converge. The
 * same seed gives the same history.
 */
import { type Act, playAct, type Scene } from './acts.ts';
import type { Breach } from './event-journal.ts';
import { Dice } from './dice.ts';
import { CONTAINER_ACTS, KILL_ACTS, MANIFEST_ACTS, writeManifest } from './node-acts.ts';
import { createPod, POD_ACTS } from './pod-acts.ts';
import { crash, PODKEEP_ACTS } from './podkeep-acts.ts';
import { PRESSURE_ACTS } from './eviction/pressure-acts.ts';
import { openGate, STATUS_ACTS } from './status-acts.ts';
import { checkStep } from './step-checks.ts';
import { problems } from './tail.ts';
import { World } from './world.ts';

export interface HistoryResult {
  readonly seed: number;
  readonly events: number;
  readonly restarts: number;
  /** How many pods there were, under all names and UIDs. */
  readonly pods: number;
  /** How long it took to converge after the storm. */
  readonly calmSeconds: number;
  readonly counts: ReadonlyMap<string, number>;
  readonly breach: Breach | null;
  /** All that happened, one line each. */
  readonly lines: (last?: number) => readonly string[];
}

export const EVENTS_MIN = 500;
export const RESTARTS_MIN = 2;
export const PODS_MIN = 5;

export const ACTS: readonly Act[] = [
  ...POD_ACTS,
  ...STATUS_ACTS,
  ...MANIFEST_ACTS,
  ...CONTAINER_ACTS,
  ...KILL_ACTS,
  ...PODKEEP_ACTS,
  ...PRESSURE_ACTS,
];

/** At least so many acts, however eventful they are. */
const ACTS_MIN = 70;
/** Crash back-offs end after five minutes, and retries of an orphan's stop wait as long. */
const CALM_MS_MAX = 15 * 60_000;
/** Faults that began in the storm may still strike: late requests, old statuses, manifests put back. */
const AFTERMATH_MS = 25_000;
const LOOK_MS = 5000;
const REST_MS = 120_000;
/**
 * Every pod is synced once more in this time. The resources of a pod that the API shows as Running are
 * those of its control group, as in the kubelet: one more status without its requests for storage.
 */
const RESYNC_MS_MAX = 95_000;

export async function runHistory(seed: number): Promise<HistoryResult> {
  const world = new World(seed);
  const { journal, clock } = world;
  clock.onStep = () => checkStep(world);
  let calmMs = 0;
  const notCaught = (reason: unknown): void => journal.breaks(13, `not caught: ${String(reason)}`);
  process.on('unhandledRejection', notCaught);
  try {
    await playStorm(world, new Dice(seed, 'users'));
    calmMs = await playCalm(world);
  } catch (error) {
    journal.breaks(13, error instanceof Error ? (error.stack ?? error.message) : String(error));
  } finally {
    process.off('unhandledRejection', notCaught);
  }
  return {
    seed,
    events: journal.events,
    restarts: world.restarts,
    pods: world.podsInAll,
    calmSeconds: calmMs / 1000,
    counts: journal.counts,
    breach: journal.breach,
    lines: (last) => journal.lines(last),
  };
}

async function playStorm(world: World, dice: Dice): Promise<void> {
  const { clock, journal } = world;
  const scene: Scene = { world, dice };
  world.startPodkeep();
  for (let pods = 0; pods < PODS_MIN; pods++) createPod(scene);
  for (let files = 0; files < 2; files++) writeManifest(scene);
  for (let acts = 0; journal.breach === null; acts++) {
    await clock.pass(dice.chance(0.3) ? dice.between(0, 50) : dice.between(50, 2500));
    const isEnough = acts >= ACTS_MIN && journal.events >= EVENTS_MIN;
    if (isEnough && world.restarts >= RESTARTS_MIN) return;
    const mustCrash = isEnough || acts === 25 || acts === 50;
    if (mustCrash && crash(scene) !== null) journal.count('podkeep: crashes');
    else playAct(scene, ACTS);
  }
}

/** Returns how long it took until no expectation was violated. */
async function playCalm(world: World): Promise<number> {
  const { clock, journal, weather, health, api, node } = world;
  if (journal.breach) return 0;
  journal.notify('user', 'the storm is over');
  weather.clearUp();
  health.clearUp();
  node.clearUp();
  api.failFor(0);
  await clock.pass(AFTERMATH_MS);
  const begunMs = clock.monotonic();
  let quietLooks = 0;
  for (;;) {
    await clock.pass(LOOK_MS);
    openGates(world);
    if (journal.breach) return 0;
    const found = [...problems(world)];
    // A single success could fall between two rounds of housekeeping.
    quietLooks = found.length === 0 ? quietLooks + 1 : 0;
    if (quietLooks === 2) break;
    if (clock.monotonic() - begunMs > CALM_MS_MAX) {
      journal.breaks(numberOf(found), found.join('; '));
      return 0;
    }
  }
  const calmMs = clock.monotonic() - begunMs;
  await rest(world);
  return calmMs;
}

/** A converged world stays so, without a single request (SM-26, SM-36, V-8). */
async function rest(world: World): Promise<void> {
  const { clock, journal, requests } = world;
  await clock.pass(RESYNC_MS_MAX);
  const before = requests.sentInAll;
  await clock.pass(REST_MS);
  checkStep(world);
  const sent = requests.sentInAll - before;
  if (sent > 0) journal.breaks(18, `${sent} requests were sent although all was right`);
  const found = [...problems(world)];
  if (found.length > 0) journal.breaks(18, `it did not last: ${found.join('; ')}`);
}

/** The owner of a readiness gate opens it in the end. */
function openGates(world: World): void {
  const scene: Scene = { world, dice: new Dice(0, 'gates') };
  for (const { metadata, spec, status } of world.api.pods()) {
    const [gate] = spec.readinessGates ?? [];
    if (!gate) continue;
    const condition = status?.conditions?.find(({ type }) => type === gate.conditionType);
    if (condition?.status !== 'True') openGate(scene, metadata.uid ?? '', true);
  }
}

/** An error may name its own invariant; all others are about convergence. */
function numberOf(found: readonly string[]): number {
  const numbers = found.flatMap((problem) => /^(\d+): /.exec(problem)?.[1] ?? []);
  return Number(numbers[0] ?? 12);
}

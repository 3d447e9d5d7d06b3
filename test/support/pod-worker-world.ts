/**
 * The world around one pod worker machine, with its own record of the state.
 *
 * It carries out effects by recording them: which work runs, whether a turn was requested, which kills
 * are open. It does not trust the machine's state about these. A broken invariant of the header of
 * pod-worker.ts becomes an error, with the number of the invariant.
 */
import type { Effect } from '../../src/core/pod-worker/effect.ts';
import type { Event, KillId, Work } from '../../src/core/pod-worker/event.ts';
import * as podWorker from '../../src/core/pod-worker/pod-worker.ts';
import type { Phase, State } from '../../src/core/pod-worker/state.ts';
import { deepFreeze } from './deep-freeze.ts';

const ROAD: readonly Phase[] = ['waiting', 'syncing', 'terminating', 'terminated', 'finished'];

const STARTS: ReadonlyMap<string, Work> = new Map([
  ['syncPod', 'sync'],
  ['stopPod', 'stop'],
  ['stopRuntimePod', 'stop'],
  ['releasePod', 'release'],
]);

/** The work that a phase may still start. */
const MAY_START: Readonly<Record<Phase, readonly Work[]>> = {
  forgotten: ['sync', 'stop', 'release'],
  waiting: ['sync', 'stop'],
  syncing: ['sync', 'stop'],
  terminating: ['stop', 'release'],
  terminated: ['release'],
  finished: [],
};

export class PodWorkerWorld {
  readonly problems: string[] = [];
  state: State = podWorker.initial;
  running: Work | null = null;
  asksForTurn = false;
  #openKills: KillId[] = [];
  #nowMs = 0;

  /** Everything is frozen on the way in, so that a machine that writes into its input is caught. */
  apply(event: Event): readonly Effect[] {
    const before = this.state;
    this.#nowMs += 1_000;
    if ('kill' in event) this.#openKills.push(event.kill.id);
    if (event.type === 'settled') this.running = null;
    const { state, effects } = podWorker.decide(before, deepFreeze(event), this.#nowMs);
    this.state = deepFreeze(state);
    if (event.type === 'admitted' || state.phase !== 'waiting') this.asksForTurn = false;
    for (const effect of effects) this.#carryOut(effect, before.phase);
    this.#check(before, event);
    return effects;
  }

  #carryOut(effect: Effect, phase: Phase): void {
    const work = STARTS.get(effect.type);
    if (work) {
      if (this.running) this.#report(1, `${work} started over ${this.running}`);
      if (!MAY_START[phase].includes(work)) this.#report(3, `a ${phase} pod started ${work}`);
      this.running = work;
    }
    if (effect.type === 'askForTurn') this.asksForTurn = true;
    if (effect.type === 'cancelInFlight' && !this.running) this.#report(1, 'nothing to cancel');
    if (effect.type !== 'completeKills') return;
    for (const id of effect.kills) {
      if (!this.#openKills.includes(id)) this.#report(6, `kill ${id} was completed twice`);
      this.#openKills = this.#openKills.filter((open) => open !== id);
    }
  }

  #check(before: State, event: Event): void {
    const after = this.state;
    const believed = 'inFlight' in after ? (after.inFlight?.work ?? null) : null;
    if (believed !== this.running) this.#report(1, `believes ${believed}, runs ${this.running}`);
    const isBack = ROAD.indexOf(after.phase) < ROAD.indexOf(before.phase);
    if (isBack && after.phase !== 'forgotten') this.#report(2, `back to ${after.phase}`);
    if (before.phase === 'terminating' && after.phase === 'terminating' && !setsItsOwnTime(event)) {
      const [was, is] = [before, after].map(({ graceSeconds }) => graceSeconds ?? Infinity);
      if (Number(is) > Number(was)) this.#report(4, `grace grew from ${was} to ${is}`);
    }
    const isStopDone =
      event.type === 'settled' && event.work === 'stop' && isWell(event.outcome.kind);
    if (before.phase === 'terminating' && after.phase === 'terminated' && !isStopDone) {
      this.#report(5, `terminated by ${event.type}`);
    }
    const isOver = after.phase === 'finished' || after.phase === 'forgotten';
    if (isOver && this.#openKills.length > 0)
      this.#report(6, `left open: ${this.#openKills.join(' ')}`);
  }

  #report(invariant: number, what: string): void {
    this.problems.push(`${invariant}: ${what}`);
  }
}

/** A kill with its own grace period, of a pod whose deletion leaves it none: the kill's counts. */
function setsItsOwnTime(event: Event): boolean {
  if (event.type !== 'killed') return false;
  return event.kill.graceSeconds !== null && event.pod.metadata.deletionGracePeriodSeconds === 0;
}

function isWell(kind: string): boolean {
  return kind === 'done' || kind === 'terminal';
}

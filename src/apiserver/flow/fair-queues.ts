/**
 * Decides which request runs next. It has no clock and starts no requests; flow-control.ts does.
 *
 *     enqueue ──> the queue of its user ──take──> executing ──finish──> gone
 *        └──> refused, if the queue is full  └──remove──> gone
 *
 * Each priority level has its own seats and a queue for each user. Levels are served in order. Within a level
 * users take turns, so a user with one request waits for one request of each other user, not for all requests
 * of one of them.
 *
 * Invariants
 * 1. A level never executes more requests than it has seats, and a user never more than its share of the
 *    seats.
 * 2. Requests of one user are taken in the order in which they came.
 * 3. No queue is longer than its limit, and no level has more waiting requests than its limit.
 * 4. While a level has a free seat, no request waits unless its user has no seats left or must rest
 *    (rests.ts).
 */
import { assert } from '../../lib/assert.ts';

export interface LevelLimits {
  readonly seats: number;
  /** The most seats that one user may have at the same time. */
  readonly seatsPerUser: number;
  readonly queuePerUser: number;
  readonly queueTotal: number;
}

interface Flow {
  readonly user: string;
  waiting: number[];
  executing: number;
}

interface LevelState {
  readonly limits: LevelLimits;
  /** In the order of their turns: the user who was served last is at the end. */
  readonly flows: Map<string, Flow>;
  waiting: number;
  executing: number;
}

export interface LevelCounts {
  readonly waiting: number;
  readonly executing: number;
}

export class FairQueues<Level extends string> {
  readonly #levels: ReadonlyMap<Level, LevelState>;
  readonly #requests = new Map<number, { readonly level: Level; readonly user: string }>();
  #lastId = 0;

  constructor(levels: ReadonlyMap<Level, LevelLimits>) {
    this.#levels = new Map(
      [...levels].map(([level, limits]) => [
        level,
        { limits, flows: new Map(), waiting: 0, executing: 0 },
      ]),
    );
  }

  /** The ID of the request, which now waits. Null: its queue is full. */
  enqueue(level: Level, user: string): number | null {
    const state = this.#stateOf(level);
    const flow = state.flows.get(user) ?? { user, waiting: [], executing: 0 };
    const { queuePerUser, queueTotal } = state.limits;
    if (flow.waiting.length >= queuePerUser || state.waiting >= queueTotal) return null;
    const id = (this.#lastId += 1);
    flow.waiting.push(id);
    state.waiting += 1;
    state.flows.set(user, flow);
    this.#requests.set(id, { level, user });
    return id;
  }

  /**
   * The request that runs next. Undefined: none may run. `rests`: whether a user must rest, so that others
   * come first (rests.ts).
   */
  take(rests: (user: string) => boolean = () => false): number | undefined {
    for (const state of this.#levels.values()) {
      const flow = nextFlow(state, rests);
      const id = flow?.waiting.shift();
      if (!flow || id === undefined) continue;
      flow.executing += 1;
      state.executing += 1;
      state.waiting -= 1;
      // The user moves to the end of the order.
      state.flows.delete(flow.user);
      state.flows.set(flow.user, flow);
      return id;
    }
    return undefined;
  }

  /** Called when a request that was taken has ended. */
  finish(id: number): void {
    const { state, flow } = this.#forget(id);
    flow.executing -= 1;
    state.executing -= 1;
    dropIdle(state, flow);
  }

  /** Removes a waiting request. False: it was not waiting. */
  remove(id: number): boolean {
    const request = this.#requests.get(id);
    const flow = request && this.#stateOf(request.level).flows.get(request.user);
    if (!flow?.waiting.includes(id)) return false;
    const { state } = this.#forget(id);
    flow.waiting = flow.waiting.filter((other) => other !== id);
    state.waiting -= 1;
    dropIdle(state, flow);
    return true;
  }

  userOf(id: number): string | undefined {
    return this.#requests.get(id)?.user;
  }

  counts(level: Level): LevelCounts {
    const { waiting, executing } = this.#stateOf(level);
    return { waiting, executing };
  }

  #forget(id: number): { readonly state: LevelState; readonly flow: Flow } {
    const request = this.#requests.get(id);
    assert(request !== undefined, `request ${id} is unknown`);
    this.#requests.delete(id);
    const state = this.#stateOf(request.level);
    const flow = state.flows.get(request.user);
    assert(flow !== undefined, `request ${id} has no queue`);
    return { state, flow };
  }

  #stateOf(level: Level): LevelState {
    const state = this.#levels.get(level);
    assert(state !== undefined, `there is no priority level ${level}`);
    return state;
  }
}

function nextFlow(
  { limits, flows, executing, waiting }: LevelState,
  rests: (user: string) => boolean,
): Flow | undefined {
  if (executing >= limits.seats || waiting === 0) return undefined;
  for (const flow of flows.values()) {
    const hasRequest = flow.waiting.length > 0 && flow.executing < limits.seatsPerUser;
    if (hasRequest && !rests(flow.user)) return flow;
  }
  return undefined;
}

/** Forgets a user without requests. */
function dropIdle({ flows }: LevelState, { user, waiting, executing }: Flow): void {
  if (waiting.length === 0 && executing === 0) flows.delete(user);
}

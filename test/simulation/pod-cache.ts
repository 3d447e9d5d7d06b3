/** The pod cache of one life of podkeep. It is refreshed at each event of the runtime. */
import type { RuntimePod } from '../../src/api/runtime-pod.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { PodCache } from '../../src/ports/pod/pod-cache.ts';
import type { RuntimeRecords } from './runtime-records.ts';
import { wait } from './waits.ts';
import type { Weather } from './weather.ts';

const NOTHING: RuntimePod = { sandboxes: [], containers: [], ips: [] };

export class SimulatedPodCache implements PodCache {
  readonly #clock: Clock;
  readonly #runtime: RuntimeRecords;
  readonly #weather: Weather;
  readonly #seen = new Map<string, RuntimePod>();
  onLook: (uid: string) => void = () => {};

  constructor(clock: Clock, runtime: RuntimeRecords, weather: Weather) {
    this.#clock = clock;
    this.#runtime = runtime;
    this.#weather = weather;
    for (const { pod } of runtime.all()) this.refresh(pod.uid);
  }

  /** Returns whether anything changed. */
  refresh(uid: string): boolean {
    const before = this.#seen.get(uid);
    const view = this.#runtime.look(uid);
    this.#seen.set(uid, view);
    return before !== view;
  }

  peek(uid: string): RuntimePod {
    return this.#seen.get(uid) ?? NOTHING;
  }

  async newerThan(uid: string, _sinceMs: number, signal: AbortSignal): Promise<RuntimePod> {
    this.onLook(uid);
    if (this.#weather.strikes('runtime: pod is read slowly')) {
      await wait(this.#clock, this.#weather.takesMs(50, 3000), signal);
    }
    if (this.#weather.strikes('runtime: pod cannot be read')) throw new Error('cannot be read');
    this.refresh(uid);
    return this.peek(uid);
  }
}

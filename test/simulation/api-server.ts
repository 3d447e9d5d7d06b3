/**
 * The API server of the simulated cluster: pods in memory, with the faults of a network before it.
 *
 * Requests of users are direct and never fail. Podkeep uses `connect`, whose requests may be slow,
 * refused, cut before or after they took effect, or take effect long after podkeep has given up. Deletion
 * is as in Kubernetes: it is only visible with a grace period, which only ever gets shorter, and a
 * finished pod is deleted immediately.
 */
import type { Pod, PodStatus } from '../../src/api/pod.ts';
import { formatTime } from '../../src/api/values/time.ts';
import { isTerminalPhase } from '../../src/core/pod/pod-facts.ts';
import type { ApiClient, PodName } from '../../src/ports/api/api-client.ts';
import type { Clock } from '../../src/ports/clock.ts';
import { deepFreeze } from '../support/deep-freeze.ts';
import { MemoryApi, type Fault } from '../support/memory-api.ts';
import type { EventJournal } from './event-journal.ts';
import { Watch, type WatchEvent } from './watch.ts';
import type { Weather } from './weather.ts';

export interface ApiServerOptions {
  readonly clock: Clock;
  readonly weather: Weather;
  readonly journal: EventJournal;
}

/** A change in the API, as the model receives it. */
export interface ApiChange {
  /** Null: there was no pod of this name. */
  readonly before: Pod | null;
  /** Null: the pod is gone. */
  readonly after: Pod | null;
  readonly by: 'user' | 'podkeep';
}

export class ApiServer {
  readonly #options: ApiServerOptions;
  readonly #store: MemoryApi;
  readonly #seen = new Map<string, Pod>();
  readonly #watches = new Set<Watch>();
  #fault: Fault | undefined;
  #isUser = false;
  /** Until then no request is answered. */
  #outageUntilMs = 0;
  onChange: (change: ApiChange) => void = () => {};

  constructor(options: ApiServerOptions) {
    this.#options = options;
    this.#store = new MemoryApi({ clock: options.clock, fault: () => this.#fault });
    this.#store.onChange = (pod, isGone) => this.#changed(deepFreeze(pod), isGone);
  }

  pods(): readonly Pod[] {
    return this.#store.pods();
  }

  find(name: PodName): Pod | undefined {
    return this.#store.find(name);
  }

  findByUid(uid: string): Pod | undefined {
    return this.#store.findByUid(uid);
  }

  /** No request is answered for a while. */
  failFor(ms: number): void {
    this.#outageUntilMs = this.#options.clock.monotonic() + ms;
  }

  create(pod: Pod): void {
    this.#asUser(() => this.#store.put(pod));
  }

  /** Changes a pod, if it still exists. */
  change(uid: string, edit: (pod: Pod) => Pod): void {
    const pod = this.findByUid(uid);
    if (pod) this.#asUser(() => this.#store.put(edit(pod)));
  }

  changeStatus(uid: string, edit: (status: PodStatus) => PodStatus): void {
    this.change(uid, (pod) => ({ ...pod, status: edit(pod.status ?? {}) }));
  }

  /** Zero seconds, or a finished pod: it is deleted immediately. Otherwise podkeep has to stop it first. */
  delete(uid: string, graceSeconds: number): void {
    const pod = this.findByUid(uid);
    if (!pod) return;
    const { name = '', namespace = '', deletionGracePeriodSeconds: before } = pod.metadata;
    if (graceSeconds === 0 || isTerminalPhase(pod.status?.phase)) {
      this.#asUser(() => this.#store.remove({ name, namespace }));
    } else if (before === undefined || graceSeconds < before) {
      const deletionTimestamp = formatTime(this.#options.clock.now() + graceSeconds * 1000);
      const deletion = { deletionTimestamp, deletionGracePeriodSeconds: graceSeconds };
      this.change(uid, (old) => ({ ...old, metadata: { ...old.metadata, ...deletion } }));
    }
  }

  /** Podkeep creates a mirror pod. Throws if the name is taken. */
  createMirror(pod: Pod): void {
    const { name = '', namespace = '' } = pod.metadata;
    if (this.find({ name, namespace })) throw new Error(`pods "${name}" already exists`);
    this.#store.put(pod);
  }

  /** Podkeep deletes a mirror pod. Returns whether it existed. */
  deleteMirror(name: PodName, uid: string): boolean {
    if (this.find(name)?.metadata.uid !== uid) return false;
    this.#store.remove(name);
    return true;
  }

  watch(clock: Clock, deliver: (event: WatchEvent) => void): Watch {
    const { weather, journal } = this.#options;
    const watch = new Watch({ clock, weather, journal, deliver, list: () => this.pods() });
    this.#watches.add(watch);
    return watch;
  }

  unwatch(watch: Watch): void {
    this.#watches.delete(watch);
  }

  cutWatches(): void {
    for (const watch of this.#watches) watch.cut();
  }

  /** A connection for one podkeep. */
  connect(): ApiClient {
    return {
      getPod: (pod, signal) => this.#request('get', () => this.#store.getPod(pod, signal)),
      patchPodStatus: (pod, patch, signal) =>
        this.#request('patch', () => this.#store.patchPodStatus(pod, patch, signal)),
      deletePod: (pod, conditions, signal) =>
        this.#request('delete', () => this.#store.deletePod(pod, conditions, signal)),
    };
  }

  async #request<Answer>(verb: string, send: () => Promise<Answer>): Promise<Answer> {
    const { weather, clock, journal } = this.#options;
    if (verb !== 'get' && weather.strikes('api: request takes effect late')) {
      clock.after(weather.takesMs(500, 20_000), () => {
        journal.notify('api', `a lost ${verb} takes effect after all`);
        this.#sendWith(undefined, send).catch(() => {});
      });
      throw new Error('socket hang up');
    }
    return await this.#sendWith(this.#chooseFault(verb), send);
  }

  /** The store asks for the fault of a call when the call is made. */
  #sendWith<Answer>(fault: Fault | undefined, send: () => Promise<Answer>): Promise<Answer> {
    this.#fault = fault;
    try {
      return send();
    } finally {
      this.#fault = undefined;
    }
  }

  #chooseFault(verb: string): Fault {
    const { weather, clock } = this.#options;
    const latencyMs = this.#latencyMs();
    if (clock.monotonic() < this.#outageUntilMs) return { latencyMs, refuse: 500 };
    if (weather.strikes('api: 409 conflict')) return { latencyMs, refuse: 409 };
    if (weather.strikes('api: 404 although it is there')) {
      // A server that has lost its memory has lost its watches, too.
      clock.after(latencyMs, () => this.cutWatches());
      return { latencyMs, refuse: 404 };
    }
    if (weather.strikes('api: 429 too many requests')) {
      return { latencyMs, refuse: 429, retryAfterMs: weather.takesMs(100, 5000) };
    }
    if (weather.strikes('api: 500 server error')) return { latencyMs, refuse: 500 };
    if (weather.strikes('api: cut before the request took effect')) {
      return { latencyMs, cut: 'before' };
    }
    if (verb !== 'get' && weather.strikes('api: cut after the request took effect')) {
      return { latencyMs, cut: 'after' };
    }
    return { latencyMs };
  }

  #latencyMs(): number {
    const { weather } = this.#options;
    if (weather.strikes('api: very slow answer')) return weather.takesMs(4000, 12_000);
    if (weather.strikes('api: slow answer')) return weather.takesMs(100, 2500);
    return weather.takesMs(1, 20);
  }

  #asUser(act: () => void): void {
    this.#isUser = true;
    try {
      act();
    } finally {
      this.#isUser = false;
    }
  }

  #changed(pod: Pod, isGone: boolean): void {
    const { uid = '', name, namespace } = pod.metadata;
    const key = `${namespace}/${name}`;
    const before = this.#seen.get(key) ?? null;
    if (isGone) this.#seen.delete(key);
    else this.#seen.set(key, pod);
    const by = this.#isUser ? 'user' : 'podkeep';
    this.#options.journal.notify('api', describe(pod, isGone, by));
    this.onChange({ before, after: isGone ? null : pod, by });
    for (const watch of this.#watches) watch.hear({ type: isGone ? 'gone' : 'changed', pod });
    if (uid === '') throw new Error(`${key} has no UID`);
  }
}

function describe({ metadata, status }: Pod, isGone: boolean, by: string): string {
  if (isGone) return `${metadata.uid} is gone (${by})`;
  const { resourceVersion, deletionGracePeriodSeconds: grace } = metadata;
  const deletion = grace === undefined ? '' : `, deleted within ${grace} s`;
  const containers = [
    ...(status?.initContainerStatuses ?? []),
    ...(status?.containerStatuses ?? []),
  ];
  const states = containers.map(({ name, state, ready }) => {
    const kind = state?.running
      ? 'running'
      : state?.terminated
        ? `exit ${state.terminated.exitCode}`
        : 'waiting';
    return ` ${name}=${kind}${ready ? '+' : ''}`;
  });
  return `${metadata.uid} is ${status?.phase ?? 'without phase'}${states.join('')} at ${resourceVersion} (${by}${deletion})`;
}

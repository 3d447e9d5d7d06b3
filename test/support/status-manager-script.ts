/**
 * Plays scripts about pod statuses on the real status manager, with an API in memory. Commands:
 *
 *     create POD                        a user creates it; the watch shows it
 *     manifest POD                      it comes from a manifest: a static pod, without a mirror yet
 *     mirror POD                        the API gets a mirror of it, a new one each time
 *     leave POD                         the node does not have it any more; its status is still stored
 *     say POD PHASE [ready|unready] [reason=R] [late]   a worker has computed a status; late: it took
 *                                       a while, so it is handed over rather than set
 *     probe POD ready|unready           the result of a readiness probe changes
 *     stopped POD                       nothing of it runs any more
 *     terminate POD                     its final status
 *     delete POD                        a user requests its deletion
 *     recreate POD                      it is gone, and another has its name
 *     vanish POD                        it is deleted from the API by force
 *     foreign POD TYPE=STATUS           another client writes a condition
 *     orphans [POD…]                    housekeeping: these are the pods that are left
 *     api up|down|conflict|slow=MS|busy=SECONDS|deaf|fail-deletes|conflict-patches|drop-reasons
 *                                       from now on; deaf: it acts, but the answer is lost
 *     restart-count POD N               N changes in a row
 *     restart [limit=N]                 podkeep restarts, with a client limit of N requests a second
 *     watch on|off                      whether podkeep sees what happens in the API
 *     wait SECONDS
 *
 * Below the line are the requests that the API got, and the objects it has afterwards.
 */
import type { ConditionStatus, Pod, PodPhase } from '../../src/api/pod.ts';
import { isMirrorPod } from '../../src/core/pod/pod-facts.ts';
import { StatusManager } from '../../src/kubelet/status-manager/status-manager.ts';
import type { ProbeOutcome } from '../../src/ports/pod/probe-results.ts';
import { MemoryApi } from './memory-api.ts';
import { MemoryPodManager } from './memory-pod-manager.ts';
import { playScript } from './script.ts';
import { noProbes, silentLog, silentStatusObserver } from './silent-ports.ts';
import {
  FAIR,
  folded,
  idOf,
  statusOf,
  weatherOf,
  withoutReason,
} from './status-manager-vocabulary.ts';
import { VirtualClock } from './virtual-clock.ts';

export function playStatusManagerScript(script: string): Promise<string> {
  const player = new Player();
  return playScript(script, (command) => player.play(command));
}

class Player {
  readonly #clock = new VirtualClock();
  #weather = FAIR;
  readonly #api = new MemoryApi({
    clock: this.#clock,
    fault: ({ verb }) => {
      const { fault, failsDeletes, refusesPatches } = this.#weather;
      if (failsDeletes && verb === 'delete') return { refuse: 500 };
      return refusesPatches && verb === 'patch' ? { refuse: 409 } : fault;
    },
  });
  readonly #pods = new MemoryPodManager();
  readonly #stopped = new Set<string>();
  readonly #readiness = new Map<string, ProbeOutcome>();
  readonly #uids = new Map<string, number>();
  readonly #manifests = new Map<string, Pod>();
  readonly #notified: string[] = [];
  #manager = this.#newManager(-1);
  #shown = '';
  #isWatching = true;

  constructor() {
    this.#manager.start();
    this.#api.onChange = (pod, isGone) => this.#watch(pod, isGone);
  }

  async play(command: string): Promise<readonly string[]> {
    const [verb = '', ...words] = command.split(' ');
    const before = this.#api.calls.length;
    const versions = new Map(
      [...this.#manager.records].map(([uid, { version }]) => [uid, version]),
    );
    await this.#perform(verb, words);
    await this.#clock.pass(0);
    const calls = this.#api.calls.slice(before).map(({ verb: call, name }) => `  ${call} ${name}`);
    const stored = [...this.#manager.records]
      .filter(([uid, { version }]) => versions.get(uid) !== version)
      .map(([uid, { version }]) => `stored ${uid} v${version}`);
    const forgotten = [...versions.keys()]
      .filter((uid) => !this.#manager.records.has(uid))
      .map((uid) => `forgot ${uid}`);
    const shown = this.#showApi();
    const api = shown === this.#shown ? [] : shown.split('\n').map((line) => `  api: ${line}`);
    this.#shown = shown;
    const lines = [...stored, ...forgotten, ...this.#notified.splice(0), ...folded(calls), ...api];
    return lines.length > 0 ? lines : ['nothing happens'];
  }

  async #perform(verb: string, words: readonly string[]): Promise<void> {
    const [name = '', ...rest] = words;
    switch (verb) {
      case 'create':
      case 'recreate':
        return this.#create(name);
      case 'manifest':
        return this.#write(name);
      case 'mirror':
        return this.#mirror(name);
      case 'leave':
        return this.#pods.remove(this.#uidOf(name));
      case 'say':
        return this.#say(name, rest);
      case 'probe': {
        const ready = rest[0] === 'ready';
        this.#readiness.set(idOf(this.#uidOf(name)), ready ? 'success' : 'failure');
        return this.#manager.setContainerReadiness(
          this.#uidOf(name),
          idOf(this.#uidOf(name)),
          ready,
        );
      }
      case 'stopped':
        return void this.#stopped.add(this.#uidOf(name));
      case 'terminate':
        return this.#manager.terminatePod(this.#podOf(name));
      case 'delete': {
        const pod = this.#podOf(name);
        const deletionTimestamp = '2030-01-02T03:04:35Z';
        return void this.#api.put({ ...pod, metadata: { ...pod.metadata, deletionTimestamp } });
      }
      case 'restart':
        return this.#restart(name);
      case 'watch':
        this.#isWatching = name === 'on';
        return;
      case 'vanish':
        return this.#api.remove({ namespace: 'default', name });
      case 'foreign':
        return this.#foreign(name, rest[0] ?? '');
      case 'orphans': {
        const left = new Set(words.map((word) => this.#uidOf(word)));
        for (const uid of this.#pods.uids()) if (!left.has(uid)) this.#pods.remove(uid);
        return this.#manager.removeOrphanedStatuses(left);
      }
      case 'restart-count':
        for (let count = 1; count <= Number(rest[0]); count++) {
          this.#say(name, ['Running', 'ready', `restarts=${count}`]);
          await this.#clock.pass(1000);
        }
        return;
      case 'api':
        this.#weather = weatherOf(name);
        return;
      case 'wait':
        return this.#clock.pass(Number(name) * 1000);
      default:
        throw new Error(`no such command: ${verb}`);
    }
  }

  async #restart(limit: string): Promise<void> {
    await this.#manager.stop();
    this.#manager = this.#newManager(Number(limit.split('=')[1] ?? -1));
    this.#manager.start();
    for (const pod of this.#api.pods()) this.#watch(pod, false);
  }

  #newManager(qps: number): StatusManager {
    return new StatusManager({
      clock: this.#clock,
      random: { next: () => 0 },
      api: {
        getPod: (name, signal) => this.#api.getPod(name, signal),
        patchPodStatus: (name, patch, signal) => {
          const body = this.#weather.dropsReasons ? withoutReason(patch) : patch;
          return this.#api.patchPodStatus(name, body, signal);
        },
        deletePod: (name, uid, signal) => this.#api.deletePod(name, uid, signal),
      },
      pods: this.#pods,
      probes: {
        of: (uid) => ({
          ...noProbes.of(uid),
          readiness: this.#readiness,
          readinessProbed: new Set(['main']),
          since: '2030-01-02T03:00:00Z',
        }),
      },
      decisions: {
        record: ({ pod, machine, from, to, why }) => {
          if (machine === 'status-write')
            this.#notified.push(`  ${pod.uid}: ${from} -> ${to}: ${why}`);
        },
      },
      log: { ...silentLog, error: (message) => void this.#notified.push(`  error: ${message}`) },
      observer: {
        ...silentStatusObserver,
        statusWritten: (seconds) => void this.#notified.push(`  acknowledged after ${seconds} s`),
      },
      window: 2,
      qps,
      burst: 1,
      couldHaveRunningContainers: (_pod, uid) => !this.#stopped.has(uid),
    });
  }

  #create(name: string): void {
    this.#api.remove({ namespace: 'default', name });
    const uid = this.#newUid(name);
    this.#api.put({
      metadata: { name, namespace: 'default', uid, generation: 1 },
      spec: { containers: [{ name: 'main', readinessProbe: {} }] },
      status: { phase: 'Pending' },
    });
  }

  #write(name: string): void {
    const uid = this.#newUid(name);
    const annotations = { 'kubernetes.io/config.source': 'file' };
    const pod: Pod = {
      metadata: { name, namespace: 'default', uid, annotations },
      spec: { containers: [{ name: 'main', readinessProbe: {} }] },
    };
    this.#manifests.set(name, pod);
    this.#pods.set(pod);
  }

  #mirror(name: string): void {
    const { metadata, spec } = this.#podOf(name);
    const annotations = { ...metadata.annotations, 'kubernetes.io/config.mirror': 'hash' };
    this.#api.remove({ namespace: 'default', name });
    const uid = `${metadata.uid}-${this.#newUid('mirror')}`;
    this.#api.put({
      metadata: { ...metadata, annotations, uid },
      spec,
      status: { phase: 'Pending' },
    });
  }

  #say(name: string, words: readonly string[]): void {
    const pod = this.#podOf(name);
    const facts = new Map<string, string>(
      words.map((word) => {
        const [key = '', value = ''] = word.split('=');
        return [key, value];
      }),
    );
    const [phase] = words;
    const status = statusOf(this.#uidOf(name), {
      phase: phase as PodPhase,
      ready: facts.has('ready'),
      reason: facts.get('reason'),
      restarts: Number(facts.get('restarts') ?? 0),
    });
    if (facts.has('late')) this.#manager.handOverPodStatus(pod, status);
    else this.#manager.setPodStatus(pod, status);
  }

  #foreign(name: string, condition: string): void {
    const pod = this.#podOf(name);
    const [type = '', status = ''] = condition.split('=');
    const others = (pod.status?.conditions ?? []).filter((other) => other.type !== type);
    const written = { type, status: status as ConditionStatus };
    this.#api.put({ ...pod, status: { ...pod.status, conditions: [...others, written] } });
  }

  #watch(pod: Pod, isGone: boolean): void {
    if (!this.#isWatching) return;
    const source = isMirrorPod(pod) ? this.#manifests.get(pod.metadata.name ?? '') : undefined;
    if (source) this.#pods.set(source, isGone ? undefined : pod);
    if (isGone) return this.#manager.apiPodGone(pod);
    if (!source) this.#pods.set(pod);
    this.#manager.apiPodSeen(pod);
  }

  #newUid(name: string): string {
    this.#uids.set(name, (this.#uids.get(name) ?? 0) + 1);
    return this.#uidOf(name);
  }

  #uidOf(name: string): string {
    return `${name}-${this.#uids.get(name) ?? 0}`;
  }

  /** As the API has it, or had it. */
  #podOf(name: string): Pod {
    const pod =
      this.#manifests.get(name) ??
      this.#pods.find(name)?.pod ??
      this.#api.find({ namespace: 'default', name }) ??
      this.#pods.find(this.#uidOf(name))?.pod;
    if (!pod) throw new Error(`no pod ${name}`);
    return pod;
  }

  #showApi(): string {
    const pods = this.#api.pods().map(({ metadata, status }) => {
      const conditions = (status?.conditions ?? [])
        .filter(({ type }) => type === 'Ready' || type.includes('/'))
        .map(({ type, status: value }) => `${type}=${value}`);
      const { restartCount = 0 } = status?.containerStatuses?.[0] ?? {};
      return [
        `${metadata.uid} ${status?.phase}`,
        ...(status?.reason ? [`because ${status.reason}`] : []),
        ...conditions,
        ...(restartCount > 0 ? [`restarts=${restartCount}`] : []),
        ...(metadata.deletionTimestamp ? ['deleting'] : []),
      ].join(' ');
    });
    return pods.length > 0 ? pods.join('\n') : 'no pods';
  }
}

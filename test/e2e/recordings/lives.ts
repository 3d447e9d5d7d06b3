/**
 * Plays all recorded pods at once on one node of podkeep, with the actions of the recording: pods are
 * deleted, a readiness gate is opened, a manifest is removed.
 *
 * Each action waits until the pod is where the recorded one was, so that a slow machine only takes
 * longer.
 */
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Api } from '../support/api.ts';
import type { PodClient } from '../support/pod-client.ts';
import { waitFor } from '../support/patience.ts';
import { PodWatch } from '../support/pod-watch.ts';
import { compareLives, type Comparison } from './comparison.ts';
import type { Difference } from './difference.ts';
import { livedLife, recordedLife, type Runner, type RecordedEvent } from './life.ts';
import { NAMESPACE, NODE_NAME, type RecordedPod } from './recorded-pod.ts';

/** Where the pods run. */
export interface Home {
  readonly client: PodClient;
  readonly kubeconfig: string;
  /** The folder of static pods. */
  readonly manifests: string;
  /** The differences that are expected there. */
  readonly differences: readonly Difference[];
  /** The user of containers without runAsUser, if the runtime reports it. */
  readonly runner?: Runner;
}

interface ApiEvent extends RecordedEvent {
  readonly involvedObject: { readonly name: string; readonly fieldPath?: string };
  readonly firstTimestamp: string;
}

const PODS = `/api/v1/namespaces/${NAMESPACE}/pods`;
const WAIT_MS = 90_000;
const GATE_SECONDS = 6;
const STATIC_SECONDS = 10;
/** The kubelet was watched for so long. */
const RECORDED_MS = 100_000;

export class RecordedLives {
  readonly #home: Home;
  readonly #pods: readonly RecordedPod[];
  readonly #seconds: number;
  readonly #api: Api;
  readonly #watch: PodWatch;
  #cpuMillis = '';
  #comparisons: ReadonlyMap<string, Comparison> = new Map();

  private constructor(home: Home, pods: readonly RecordedPod[], seconds: number, watch: PodWatch) {
    this.#home = home;
    this.#pods = pods;
    this.#seconds = seconds;
    this.#watch = watch;
    this.#api = new Api(home.kubeconfig);
  }

  /** Resolves when all of them show what is expected, or have had their time. */
  static async live(
    home: Home,
    pods: readonly RecordedPod[],
    seconds: number,
  ): Promise<RecordedLives> {
    await home.client.kubectl(`create namespace ${NAMESPACE}`);
    const watch = await PodWatch.open(home.kubeconfig, NAMESPACE);
    const lives = new RecordedLives(home, pods, seconds, watch);
    try {
      await lives.#run();
      return lives;
    } finally {
      watch.close();
      lives.#api.close();
    }
  }

  /** Listed differences that did not occur. */
  unused(): readonly Difference[] {
    const used = new Set([...this.#comparisons.values()].flatMap((each) => each.used));
    return this.#home.differences.filter((each) => !used.has(each));
  }

  of({ name }: RecordedPod): Comparison {
    return this.#comparisons.get(name) ?? { unexplained: ['it was not compared'], used: [] };
  }

  async #run(): Promise<void> {
    await this.#prepare();
    const watched = sleep(this.#seconds * 1000);
    await Promise.all(this.#pods.map((each) => this.#live(each)));
    await watched;
    await waitFor({ what: 'the lives to be the recorded ones', deadlineMs: WAIT_MS }, async () => {
      await this.#compare();
      const all = [...this.#comparisons.values()];
      return all.every(({ unexplained }) => unexplained.length === 0) ? true : undefined;
    }).catch(() => this.#compare());
  }

  async #prepare(): Promise<void> {
    const account = `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/default`;
    await waitFor({ what: 'the account of the namespace', deadlineMs: WAIT_MS }, async () => {
      return (await this.#api.get(account)).code === 200 ? true : undefined;
    });
    const { body } = await this.#api.get(`/api/v1/nodes/${NODE_NAME}`);
    const { allocatable } = body['status'] as { allocatable: { cpu: string } };
    this.#cpuMillis = String(Number(allocatable.cpu) * 1000);
  }

  async #live(each: RecordedPod): Promise<void> {
    if (each.isStatic) return this.#liveStatic(each);
    const { name, pod, recording } = each;
    const { code, text } = await this.#api.create(PODS, pod);
    if (code !== 201) throw new Error(`${name} was answered ${code}: ${text}`);
    const gates = recording.pod.spec.readinessGates ?? [];
    if (gates.length > 0) {
      await this.#stay(name, 'Running', GATE_SECONDS);
      const conditions = gates.map(({ conditionType: type }) => ({ type, status: 'True' }));
      const words = `patch pod ${name} -n ${NAMESPACE} --subresource=status -p`.split(' ');
      await this.#home.client.kubectl([...words, JSON.stringify({ status: { conditions } })]);
    }
    if (recording.deleteAfter === null) return;
    const alive = recording.history.findLast((entry) => !('deleting' in entry));
    await this.#stay(name, alive?.status.phase ?? '', recording.deleteAfter);
    await this.#api.delete(`${PODS}/${name}`, {});
  }

  async #liveStatic({ name, pod }: RecordedPod): Promise<void> {
    const file = path.join(this.#home.manifests, `${name}.yaml`);
    writeFileSync(file, JSON.stringify(pod), { mode: 0o644 });
    await this.#stay(name, 'Running', STATIC_SECONDS);
    rmSync(file);
  }

  /** For so long, and until it is in this phase. The comparison finds one that never is. */
  async #stay(name: string, phase: string, seconds: number): Promise<void> {
    const passed = sleep(seconds * 1000);
    await waitFor({ what: `${name} to be ${phase}`, deadlineMs: WAIT_MS }, () => {
      const last = this.#watch.of(name).at(-1);
      return last?.object.status?.phase === phase ? true : undefined;
    }).catch(() => undefined);
    await passed;
  }

  async #compare(): Promise<void> {
    const { body } = await this.#api.get(`/api/v1/namespaces/${NAMESPACE}/events`);
    const events = (body['items'] ?? []) as unknown as readonly ApiEvent[];
    this.#comparisons = new Map(
      this.#pods.map((each) => [each.name, this.#compareOne(each, events)]),
    );
  }

  #compareOne(each: RecordedPod, events: readonly ApiEvent[]): Comparison {
    const { name, isLoop, recording } = each;
    const { differences, runner } = this.#home;
    const seen = this.#watch.of(name);
    const beganMs = Date.parse(seen[0]?.object.metadata.creationTimestamp ?? '');
    const notified = events
      .filter(({ involvedObject }) => involvedObject.name === name)
      .filter(({ firstTimestamp }) => Date.parse(firstTimestamp) - beganMs < RECORDED_MS)
      .map(({ involvedObject: { fieldPath }, ...event }) => ({ ...event, fieldPath }));
    return compareLives(
      recordedLife(this.#forThisMachine(recording), this.#seconds),
      livedLife(seen, notified, runner),
      isLoop,
      differences.filter((known) => ['*', recording.case].includes(known.case)),
    );
  }

  /** The recorded node had two processors. */
  #forThisMachine(recording: RecordedPod['recording']): RecordedPod['recording'] {
    const text = JSON.stringify(recording);
    return JSON.parse(
      text.replaceAll('capacity: 2000', `capacity: ${this.#cpuMillis}`),
    ) as RecordedPod['recording'];
  }
}

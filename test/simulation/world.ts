/**
 * A whole world from one seed: an API server, a runtime, a folder of manifests, the model that checks the
 * invariants, and one podkeep at a time.
 */
import type { DecisionRecord } from '../../src/ports/observe/decision-log.ts';
import { ApiServer } from './api-server.ts';
import { EventJournal } from './event-journal.ts';
import { Dice } from './dice.ts';
import { policyFor } from './eviction/eviction-policies.ts';
import { NodeResources } from './eviction/node-resources.ts';
import { Health } from './health.ts';
import { KillModel } from './kill-model.ts';
import { Life } from './life.ts';
import { Manifests } from './manifests.ts';
import { RequestModel } from './request-model.ts';
import { Runtime } from './runtime.ts';
import { StatusModel } from './status-model.ts';
import { StepClock } from './step-clock.ts';
import { Volumes } from './volumes.ts';
import { Weather } from './weather.ts';
import { WorkModel } from './work-model.ts';

/** A podkeep that was asked to stop must have ended after this time. */
const STOP_MS_MAX = 60_000;

export class World {
  readonly clock = new StepClock();
  readonly journal = new EventJournal(this.clock);
  /** Podkeep's own randomness: its jitter. */
  readonly dice: Dice;
  readonly weather: Weather;
  readonly api: ApiServer;
  readonly runtime: Runtime;
  readonly volumes: Volumes;
  readonly node: NodeResources;
  readonly health: Health;
  readonly manifests = new Manifests();
  readonly work: WorkModel;
  readonly statuses: StatusModel;
  readonly requests: RequestModel;
  readonly kills: KillModel;
  readonly isCareful: boolean;
  readonly #settingsDice: Dice;
  readonly #policyDice: Dice;
  #life: Life | null = null;
  #isStopping = false;
  readonly #uids: string[] = [];
  #starts = 0;

  /** `isCareful` is explained in sources.ts. */
  constructor(seed: number, isCareful = true) {
    this.isCareful = isCareful;
    const { clock, journal } = this;
    this.dice = new Dice(seed, 'podkeep');
    this.#settingsDice = new Dice(seed, 'settings');
    this.#policyDice = new Dice(seed, 'thresholds');
    this.weather = new Weather(new Dice(seed, 'weather'), journal);
    const { weather } = this;
    this.api = new ApiServer({ clock, weather, journal });
    this.runtime = new Runtime({ clock, weather, journal, dice: new Dice(seed, 'runtime') });
    this.volumes = new Volumes(weather);
    this.health = new Health(clock, new Dice(seed, 'health'));
    const { records } = this.runtime;
    this.node = new NodeResources(seed, records);
    this.work = new WorkModel(journal, records);
    this.requests = new RequestModel(journal);
    this.statuses = new StatusModel({
      journal,
      runtime: records,
      volumes: this.volumes,
      isUnderWay: (uid) => this.requests.isUnderWay(uid),
    });
    this.kills = new KillModel(journal, records);
    this.#listen();
  }

  /** Null while podkeep is down, or stopping. */
  get life(): Life | null {
    return this.#isStopping ? null : this.#life;
  }

  /** How often podkeep was started again. */
  get restarts(): number {
    return Math.max(this.#starts - 1, 0);
  }

  /** How many pods there were, under all names and UIDs; mirrors are not counted twice. */
  get podsInAll(): number {
    return this.#uids.filter((uid) => !uid.includes('-mirror.')).length;
  }

  newUid(name: string): string {
    const uid = `${name}.${this.#uids.length + 1}`;
    this.#uids.push(uid);
    return uid;
  }

  startPodkeep(): void {
    if (this.#life) return;
    const dice = this.#settingsDice;
    const settings = {
      window: dice.oneOf(1, 2, 4, 32),
      qps: dice.oneOf(-1, 50, 10),
      burst: dice.oneOf(5, 100),
      requestTimeoutMs: dice.oneOf(5000, 30_000),
      eviction: policyFor(this.node.layout, this.#policyDice),
    };
    this.#starts += 1;
    this.journal.notify('podkeep', `starts with a window of ${settings.window}`);
    this.#life = new Life(this, settings);
  }

  crashPodkeep(): void {
    if (!this.life) return;
    this.journal.notify('podkeep', 'crashes');
    this.#life?.crash();
    this.#over();
  }

  /** Asks podkeep to stop. It is down as soon as all its work has ended. */
  stopPodkeep(): void {
    const { life } = this;
    if (!life) return;
    this.journal.notify('podkeep', 'is asked to stop');
    this.#isStopping = true;
    const cancel = this.clock.after(STOP_MS_MAX, () => {
      this.journal.breaks(13, `podkeep did not stop within ${STOP_MS_MAX / 1000} s`);
    });
    void life.stop().then(() => {
      cancel();
      this.journal.notify('podkeep', 'has stopped');
      this.#over();
    });
  }

  decided(record: DecisionRecord): void {
    const { machine, from, to, why } = record;
    this.journal.decided(record);
    switch (machine) {
      case 'pod-worker':
        this.journal.count(`pod-worker: ${from} → ${to}`);
        this.work.decided(record);
        if (to === 'forgotten') this.kills.forgotten(record.pod.uid);
        break;
      case 'status-write':
        this.journal.count(`status-write: ${from} → ${to} (${why})`);
        if (to === 'parked') this.journal.breaks(13, `${record.pod.uid}: ${why}`);
        break;
      default:
        if (to === 'forgotten') {
          this.statuses.forgotten(record.pod.uid);
          this.requests.forgotten(record.pod.uid);
        }
        if (to === 'refused') this.statuses.refused(record.pod.uid);
    }
  }

  #over(): void {
    this.#life = null;
    this.#isStopping = false;
    this.work.lifeEnded();
    this.statuses.lifeEnded();
    this.kills.lifeEnded();
  }

  #listen(): void {
    const { records } = this.runtime;
    records.onChange = (uid) => this.life?.hearRuntime(uid);
    this.runtime.onStart = (uid, name) => this.work.starts(uid, name);
    this.api.onChange = (change) => this.statuses.changed(change);
    this.manifests.onChange = (change) => this.life?.sources.hearManifest(change);
    this.volumes.onRelease = (uid) => {
      const [running] = records.running(uid);
      if (running) this.journal.breaks(16, `${uid}: released while ${running.id} runs`);
    };
  }
}

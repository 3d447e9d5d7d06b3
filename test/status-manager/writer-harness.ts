/**
 * The status writer alone, with requests that a test answers by hand. The pods always differ from the
 * API, so each turn is a write.
 */
import type { PodStatus } from '../../src/api/pod.ts';
import type { WriteView } from '../../src/core/status-write/next-request.ts';
import {
  StatusWriter,
  type StatusWriterOptions,
  type Step,
} from '../../src/kubelet/status-manager/status-writer.ts';
import { condition, NOW, podOf } from '../support/pod-parts.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

/** A request without an answer yet. */
interface Request {
  readonly uid: string;
  readonly signal: AbortSignal;
  readonly answer: () => void;
  readonly refuse: (error: unknown) => void;
}

export class WriterHarness {
  readonly clock = new VirtualClock();
  /** Versions of the existing pods; a pod that is not here has no record. */
  readonly versions = new Map<string, number>();
  /** Pods whose object in the API cannot be parsed. */
  readonly broken = new Set<string>();
  /** Pods whose object the watch has not shown, and pods whose name another has. */
  readonly unseen = new Set<string>();
  readonly replaced = new Set<string>();
  readonly underWay: Request[] = [];
  /** Pods whose view was asked for: before each request, and after it. */
  readonly looked: string[] = [];
  readonly asked: string[] = [];
  readonly acked: string[] = [];
  readonly parked: string[] = [];
  readonly dropped: string[] = [];
  readonly steps: Step[] = [];
  readonly writer: StatusWriter;

  constructor(options: Partial<StatusWriterOptions> = {}) {
    this.writer = new StatusWriter({
      clock: this.clock,
      random: { next: () => 0 },
      window: 32,
      qps: -1,
      burst: 1,
      requestTimeoutMs: 30_000,
      viewOf: (uid) => this.#view(uid),
      perform: (uid, ask, signal) => this.#perform(uid, ask.type, signal),
      acknowledged: (uid, version) => this.acked.push(`${uid} v${version}`),
      dropped: (uid) => this.dropped.push(uid),
      parked: (uid) => this.parked.push(uid),
      stepped: (_uid, step) => this.steps.push(step),
      ...options,
    });
  }

  /** The pod has a new version, and the writer is notified. */
  change(uid: string, lane: 'urgent' | 'normal' = 'normal'): void {
    this.versions.set(uid, (this.versions.get(uid) ?? 0) + 1);
    this.writer.changed(uid, lane);
  }

  async answer(uid: string): Promise<void> {
    this.#take(uid).answer();
    await this.clock.pass(0);
  }

  async refuse(uid: string, error: unknown = new Error('socket hang up')): Promise<void> {
    this.#take(uid).refuse(error);
    await this.clock.pass(0);
  }

  get busy(): readonly string[] {
    return this.underWay.map(({ uid }) => uid);
  }

  #take(uid: string): Request {
    const index = this.underWay.findIndex((request) => request.uid === uid);
    const [request] = this.underWay.splice(index, index < 0 ? 0 : 1);
    if (!request) throw new Error(`no request of ${uid} is under way`);
    return request;
  }

  #perform(uid: string, type: string, signal: AbortSignal): Promise<void> {
    this.asked.push(`${type} ${uid}`);
    return new Promise((resolve, reject) => {
      const request: Request = { uid, signal, answer: resolve, refuse: reject };
      this.underWay.push(request);
      signal.addEventListener('abort', () => {
        this.underWay.splice(this.underWay.indexOf(request), 1);
        reject(signal.reason as Error);
      });
    });
  }

  #view(uid: string): WriteView {
    this.looked.push(uid);
    const version = this.versions.get(uid) ?? 0;
    const status: PodStatus = { phase: 'Running', conditions: [condition('Ready')] };
    const known = this.replaced.has(uid) ? 'another' : uid;
    const api = this.broken.has(uid) ? { conditions: [{}] } : { phase: 'Pending' };
    return {
      record: { version, name: uid, namespace: 'default', status, isFinished: false },
      apiUid: uid,
      isMirrored: false,
      known: this.unseen.has(uid)
        ? null
        : podOf({}, { metadata: { uid: known }, status: api as PodStatus }),
      couldHaveRunningContainers: true,
      now: NOW,
    };
  }
}

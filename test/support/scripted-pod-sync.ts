/**
 * Recipes that do nothing until a script ends them, and that report their calls.
 *
 * They also check one guarantee of the workers: two pieces of work never run for one pod.
 */
import type { PodReference } from '../../src/api/pod-reference.ts';
import type {
  PodSync,
  ReleaseRequest,
  StopRequest,
  SyncRequest,
  SyncResult,
} from '../../src/ports/pod/pod-sync.ts';

export interface SyncCall {
  readonly uid: string;
  readonly sync: keyof PodSync;
  readonly updateType?: string;
  readonly graceSeconds?: number;
  /** The reason that the newest kill wants in the status. */
  readonly statusReason?: string;
  /** The UID of the mirror that was passed. */
  readonly mirror?: string;
}

interface Open {
  readonly call: SyncCall;
  readonly signal: AbortSignal;
  readonly end: (result: SyncResult) => void;
  readonly fail: (error: unknown) => void;
}

export class ScriptedPodSync implements PodSync {
  readonly #open = new Map<string, Open>();
  readonly #onStarted: (call: SyncCall) => void;
  readonly #onCanceled: (call: SyncCall) => void;

  constructor(
    onStarted: (call: SyncCall) => void = () => {},
    onCanceled: (call: SyncCall) => void = () => {},
  ) {
    this.#onStarted = onStarted;
    this.#onCanceled = onCanceled;
  }

  /** The work in flight for the pod. */
  inFlight(uid: string): SyncCall | undefined {
    return this.#open.get(uid)?.call;
  }

  /** Ends the work in flight with success. */
  end(uid: string, result: SyncResult = { terminal: false }): void {
    this.#take(uid).end(result);
  }

  fail(uid: string, error: unknown): void {
    this.#take(uid).fail(error);
  }

  syncPod({ pod, mirrorPod, updateType }: SyncRequest, signal: AbortSignal): Promise<SyncResult> {
    const mirror = mirrorPod && { mirror: uidOf(mirrorPod) };
    return this.#start({ uid: uidOf(pod), sync: 'syncPod', updateType, ...mirror }, signal);
  }

  async syncTerminatingPod(request: StopRequest, signal: AbortSignal): Promise<void> {
    const { pod, graceSeconds, overrideStatus } = request;
    const statusReason = overrideStatus?.({}).reason;
    await this.#start(
      {
        uid: uidOf(pod),
        sync: 'syncTerminatingPod',
        ...(graceSeconds !== null && { graceSeconds }),
        ...(statusReason !== undefined && { statusReason }),
      },
      signal,
    );
  }

  async syncTerminatingRuntimePod({ uid }: PodReference, signal: AbortSignal): Promise<void> {
    await this.#start({ uid, sync: 'syncTerminatingRuntimePod' }, signal);
  }

  async syncTerminatedPod({ pod }: ReleaseRequest, signal: AbortSignal): Promise<void> {
    await this.#start({ uid: uidOf(pod), sync: 'syncTerminatedPod' }, signal);
  }

  #start(call: SyncCall, signal: AbortSignal): Promise<SyncResult> {
    const other = this.#open.get(call.uid)?.call;
    if (other) throw new Error(`${call.sync} of ${call.uid} started while ${other.sync} ran`);
    signal.addEventListener('abort', () => this.#onCanceled(call));
    this.#onStarted(call);
    return new Promise((end, fail) => {
      this.#open.set(call.uid, { call, signal, end, fail });
    });
  }

  #take(uid: string): Open {
    const open = this.#open.get(uid);
    if (!open) throw new Error(`nothing runs for ${uid}`);
    this.#open.delete(uid);
    return open;
  }
}

function uidOf({ metadata }: ReleaseRequest['pod']): string {
  return metadata.uid ?? '';
}

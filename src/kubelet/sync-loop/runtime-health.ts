/**
 * Checks whether the container runtime works, and reports why not, with the messages of Kubernetes' kubelet
 * (KL-55, KL-108).
 *
 *     status() every 2 s ──> ready, network ready ──┐
 *     the pod cache ──> last listing ───────────────┴──> why the node is not ready
 *
 * Kubernetes' kubelet stops its sync loop while the runtime is down. In podkeep each pod's sync fails and is
 * retried, so this class only reports the state, for the node's Ready condition and for syncs that need a
 * network.
 *
 *     ready ──status() fails──> tried every 500 ms ──8 s after the last success──> down
 *       ▲                             │ it answers                                  │ it answers
 *       └─────────────────────────────┴─────────────────────────────────────────────┘
 *
 * Kubernetes' kubelet checks every 5 s, and reports a runtime as down after 30 s. podkeep reports a dead
 * runtime within ten seconds, but does not report a runtime that is restarted within five seconds:
 *
 * 1. The runtime counts as down 8 s after its last successful answer. A timer reports this, because the check
 *    of a runtime that hangs may never end.
 * 2. After a restart of 5 s, the next try succeeds in time: 2 s (since the last success) + 5 s + 500 ms < 8
 *    s.
 */
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { PodRuntime, RuntimeStatus } from '../../ports/runtime/pod-runtime.ts';

export interface RuntimeHealthOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly runtime: Pick<PodRuntime, 'status'>;
  /** Why the pod cache is not up to date. Null: it is. */
  readonly cacheFault: () => string | null;
  /** Called when `reasons` has changed. */
  readonly changed: () => void;
}

const CHECK_MS = 2000;
const RETRY_MS = 500;
const DOWN_MS = 8000;

export class RuntimeHealth {
  readonly #options: RuntimeHealthOptions;
  #status: RuntimeStatus | null = null;
  /** When the runtime last reported that it is ready, by the clock's `monotonic`. */
  #readyAtMs: number | null = null;
  /** Since when the runtime does not answer, by the clock's `monotonic`. Null: it answers. */
  #failedAtMs: number | null = null;
  #fault: string | null = null;
  /** The reasons at the last call of `changed`. */
  #reported: string;
  #cancel: Cancel = () => {};
  #cancelDown: Cancel = () => {};
  #isStopped = false;

  constructor(options: RuntimeHealthOptions) {
    this.#options = options;
    this.#reported = this.reasons().join();
  }

  /** Resolves after the first status call, whether it succeeded or not. */
  async start(): Promise<void> {
    await this.check();
    this.#later();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
    this.#cancelDown();
  }

  /** The features in the runtime's last status. */
  get features(): RuntimeStatus['features'] | null {
    return this.#status?.features ?? null;
  }

  /** Why pods cannot run. Empty: they can. */
  runtimeErrors(): readonly string[] {
    const { clock, cacheFault } = this.#options;
    const errors: string[] = [];
    if (this.#readyAtMs === null) {
      errors.push('container runtime status check may not have completed yet');
    } else if (clock.monotonic() - this.#readyAtMs >= DOWN_MS) {
      errors.push('container runtime is down');
    }
    const pleg = cacheFault();
    if (pleg !== null) errors.push(`PLEG is not healthy: ${pleg}`);
    if (this.#fault !== null) errors.push(this.#fault);
    return errors;
  }

  /** Why pods get no network. Null: the network is ready. */
  networkError(): string | null {
    if (this.#status === null) return 'network state unknown';
    if (this.#status.isNetworkReady) return null;
    const { reason = '', message = '' } = this.#status;
    return (
      'container runtime network not ready: ' +
      `NetworkReady=false reason:${reason} message:${message}`
    );
  }

  /** All reasons why the node is not ready, the most severe first. */
  reasons(): readonly string[] {
    const network = this.networkError();
    return network === null ? this.runtimeErrors() : [...this.runtimeErrors(), network];
  }

  /**
   * How long ago the runtime last reported that it is ready, if it is down. Null: it is not down, or was
   * never ready.
   */
  downForMs(): number | null {
    if (this.#readyAtMs === null) return null;
    const silentMs = this.#options.clock.monotonic() - this.#readyAtMs;
    return silentMs >= DOWN_MS ? silentMs : null;
  }

  async check(): Promise<void> {
    const { clock, log, runtime } = this.#options;
    try {
      const status = await runtime.status();
      this.#status = status;
      this.#failedAtMs = null;
      this.#fault = status.isReady ? null : notReady(status);
      if (status.isReady) this.#wasReady(clock.monotonic());
    } catch (error) {
      // One line for each outage, because the check is repeated twice a second.
      if (this.#failedAtMs === null) log.error('Container runtime sanity check failed', { error });
      this.#failedAtMs ??= clock.monotonic();
    }
    this.#report();
  }

  #wasReady(nowMs: number): void {
    this.#readyAtMs = nowMs;
    this.#cancelDown();
    if (this.#isStopped) return;
    this.#cancelDown = this.#options.clock.after(DOWN_MS, () => {
      this.#options.log.error('Container runtime is down');
      this.#report();
    });
  }

  #report(): void {
    const reasons = this.reasons().join();
    if (this.#isStopped || reasons === this.#reported) return;
    this.#reported = reasons;
    this.#options.changed();
  }

  #later(): void {
    if (this.#isStopped) return;
    const isInDoubt = this.#failedAtMs !== null && this.downForMs() === null;
    this.#cancel = this.#options.clock.after(isInDoubt ? RETRY_MS : CHECK_MS, () => {
      void this.check().finally(() => this.#later());
    });
  }
}

function notReady({ reason = '', message = '' }: RuntimeStatus): string {
  return `container runtime not ready: RuntimeReady=false reason:${reason} message:${message}`;
}

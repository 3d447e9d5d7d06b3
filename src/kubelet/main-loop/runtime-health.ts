/**
 * Whether the runtime can be worked with, in the kubelet's words (KL-55, KL-108).
 *
 *     status() every 5 s ──> ready, network ready ──┐
 *     the pod cache ──> last listing ───────────────┴──> why the node is not ready
 *
 * The kubelet stops its whole loop while the runtime is down. Here each pod's own work fails and is
 * tried again, so this only tells: the node's Ready condition, and syncs that need a network.
 */
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { PodRuntime, RuntimeStatus } from '../../ports/runtime/pod-runtime.ts';

export interface RuntimeHealthOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly runtime: Pick<PodRuntime, 'status'>;
  /** Null: the pod cache is up to date. Otherwise why not. */
  readonly cacheFault: () => string | null;
  /** Something about the answers has changed. */
  readonly changed: () => void;
}

const CHECK_MS = 5000;
const DOWN_MS = 30_000;

export class RuntimeHealth {
  readonly #options: RuntimeHealthOptions;
  #status: RuntimeStatus | null = null;
  /** When the runtime last said that it is ready, by the clock's `monotonic`. */
  #readyAtMs: number | null = null;
  #fault: string | null = null;
  #cancel: Cancel = () => {};
  #isStopped = false;

  constructor(options: RuntimeHealthOptions) {
    this.#options = options;
  }

  /** Resolves when the runtime was asked for the first time, whatever it said. */
  async start(): Promise<void> {
    await this.check();
    this.#later();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  /** What the runtime can do, as it said last. */
  get features(): RuntimeStatus['features'] | null {
    return this.#status?.features ?? null;
  }

  /** Why pods cannot be run; empty: they can. */
  runtimeErrors(): readonly string[] {
    const { clock, cacheFault } = this.#options;
    const errors: string[] = [];
    if (this.#readyAtMs === null) {
      errors.push('container runtime status check may not have completed yet');
    } else if (clock.monotonic() - this.#readyAtMs > DOWN_MS) {
      errors.push('container runtime is down');
    }
    const pleg = cacheFault();
    if (pleg !== null) errors.push(`PLEG is not healthy: ${pleg}`);
    if (this.#fault !== null) errors.push(this.#fault);
    return errors;
  }

  /** Why pods get no network; null: they do. */
  networkError(): string | null {
    if (this.#status === null) return 'network state unknown';
    if (this.#status.isNetworkReady) return null;
    const { reason = '', message = '' } = this.#status;
    return (
      'container runtime network not ready: ' +
      `NetworkReady=false reason:${reason} message:${message}`
    );
  }

  /** Everything that keeps the node from being ready, the gravest first. */
  reasons(): readonly string[] {
    const network = this.networkError();
    return network === null ? this.runtimeErrors() : [...this.runtimeErrors(), network];
  }

  async check(): Promise<void> {
    const { clock, log, runtime, changed } = this.#options;
    const before = this.reasons().join();
    try {
      const status = await runtime.status();
      this.#status = status;
      this.#fault = status.isReady ? null : notReady(status);
      if (status.isReady) this.#readyAtMs = clock.monotonic();
    } catch (error) {
      log.error('the container runtime does not answer', { error });
    }
    if (!this.#isStopped && this.reasons().join() !== before) changed();
  }

  #later(): void {
    if (this.#isStopped) return;
    this.#cancel = this.#options.clock.after(CHECK_MS, () => {
      void this.check().finally(() => this.#later());
    });
  }
}

function notReady({ reason = '', message = '' }: RuntimeStatus): string {
  return `container runtime not ready: RuntimeReady=false reason:${reason} message:${message}`;
}

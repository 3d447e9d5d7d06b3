/**
 * Notifies systemd, as sd_notify(3) does: READY, STATUS, STOPPING, and, while podkeep is healthy, WATCHDOG at
 * half of the interval that systemd requires.
 *
 *     supervised   the supervisor sends the notifications, because it is the main process of the unit
 *     otherwise    the syscall helper sends them, because Node.js has no unix datagram sockets: as root with
 *                  podkeep's PID, otherwise with its own PID, which needs NotifyAccess=all
 *
 * podkeep is healthy if /livez is: neither an outage of the API server nor a full disk stops the pings.
 */
import { failuresOf, type HealthCheck } from '../../lib/health-report.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';

export interface ServiceManagerOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Undefined: no service manager wants notifications. */
  readonly send: ((text: string) => Promise<void>) | undefined;
  /** Undefined: the service manager has no watchdog. */
  readonly watchdogMs: number | undefined;
  /** The current health checks. */
  readonly checks: () => readonly HealthCheck[];
}

const HALF = 2;
const MICROSECONDS = 1000;

export class ServiceManager {
  readonly #options: ServiceManagerOptions;
  #cancel: Cancel = () => {};
  #isHealthy = true;
  #hasReported = false;
  #isStopping = false;

  constructor(options: ServiceManagerOptions) {
    this.#options = options;
  }

  /** podkeep has started: from now on it pings the watchdog. */
  ready(status: string): void {
    this.#send(`READY=1\nSTATUS=${status}`);
    if (this.#options.send && this.#options.watchdogMs !== undefined) void this.#watch();
  }

  status(status: string): void {
    this.#send(`STATUS=${status}`);
  }

  /** Pings continue, because a long stop is not a hang. */
  stopping(): void {
    if (this.#isStopping) return;
    this.#isStopping = true;
    this.#send('STOPPING=1\nSTATUS=Stopping');
  }

  end(): void {
    this.#cancel();
  }

  async #watch(): Promise<void> {
    const { clock, checks, watchdogMs = 0 } = this.#options;
    // The next ping is scheduled first, so that a check that hangs cannot end the pings.
    this.#cancel = clock.after(watchdogMs / HALF, () => void this.#watch());
    const failures = await failuresOf('livez', checks());
    if (failures.length === 0) this.#send('WATCHDOG=1');
    this.#changed(failures);
  }

  #changed(failures: readonly string[]): void {
    const isHealthy = failures.length === 0;
    if (isHealthy === this.#isHealthy) return;
    this.#isHealthy = isHealthy;
    if (isHealthy) return this.status('Healthy again');
    this.#options.log.error('Health check failed; not pinging the systemd watchdog', { failures });
    this.status(`Unhealthy: ${failures.join('; ')}`);
  }

  #send(text: string): void {
    const { send, log } = this.#options;
    send?.(text).catch((error: unknown) => {
      if (this.#hasReported) return;
      this.#hasReported = true;
      log.warn('Failed to notify the service manager', { error });
    });
  }
}

/** The watchdog interval that the service manager sets for this process. Undefined: none. */
export function watchdogMsOf(
  env: Readonly<Record<string, string | undefined>>,
  pid: number,
): number | undefined {
  const { WATCHDOG_USEC: usec = '', WATCHDOG_PID: owner = String(pid) } = env;
  if (!/^[1-9]\d*$/.test(usec) || owner !== String(pid)) return undefined;
  return Number(usec) / MICROSECONDS;
}

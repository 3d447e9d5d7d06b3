/**
 * Notifies the service manager that started podkeep, as sd_notify(3) does: READY, STATUS, STOPPING, and WATCHDOG at
 * half of the interval that it asks for, while podkeep is healthy.
 *
 *     supervised   the supervisor sends it: it is the main process, which systemd listens to
 *     otherwise    the syscall helper sends it, because Node has no datagram sockets of Unix; as root in the name
 *                  of podkeep, otherwise in its own, which needs NotifyAccess=all
 *
 * Health is that of /livez: neither an outage of the API server nor a full disk ends the watchdog's pings.
 */
import { failuresOf, type HealthCheck } from '../../lib/health-report.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';

export interface ServiceManagerOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Undefined: no service manager has asked to be notified. */
  readonly send: ((text: string) => Promise<void>) | undefined;
  /** Undefined: it has no watchdog. */
  readonly watchdogMs: number | undefined;
  /** As of now. */
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

  /** Its start is over, and the watchdog begins. */
  ready(status: string): void {
    this.#send(`READY=1\nSTATUS=${status}`);
    if (this.#options.send && this.#options.watchdogMs !== undefined) void this.#watch();
  }

  status(status: string): void {
    this.#send(`STATUS=${status}`);
  }

  /** A long stop is no hang: the watchdog goes on. */
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
    // The next ping first: a check that hangs must not end them all.
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
    this.#options.log.error('health check failed; not pinging the systemd watchdog', { failures });
    this.status(`Unhealthy: ${failures.join('; ')}`);
  }

  #send(text: string): void {
    const { send, log } = this.#options;
    send?.(text).catch((error: unknown) => {
      if (this.#hasReported) return;
      this.#hasReported = true;
      log.warn('failed to notify the service manager', { error });
    });
  }
}

/** The interval that the service manager asks of the process with this ID. Undefined: none. */
export function watchdogMsOf(
  env: Readonly<Record<string, string | undefined>>,
  pid: number,
): number | undefined {
  const { WATCHDOG_USEC: usec = '', WATCHDOG_PID: owner = String(pid) } = env;
  if (!/^[1-9]\d*$/.test(usec) || owner !== String(pid)) return undefined;
  return Number(usec) / MICROSECONDS;
}

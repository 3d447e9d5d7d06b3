/** Metrics of the node's certificates, under the names of Kubernetes' kubelet v1.36. */
import type { Counter } from '../../lib/metrics/counter.ts';
import type { Histogram } from '../../lib/metrics/histogram.ts';
import type { Registry } from '../../lib/metrics/registry.ts';
import type { Clock } from '../../ports/clock.ts';
import type { CertificatePair } from './certificate-pair.ts';

type Current = () => Pick<CertificatePair, 'notAfterMs'> | null;

/** From a minute to four years. */
const LIFETIMES = [
  60, 3600, 14_400, 86_400, 604_800, 2_592_000, 7_776_000, 15_552_000, 31_104_000, 124_416_000,
];

export class ClientCertificateMetrics {
  readonly #failures: Counter;

  constructor(registry: Registry, clock: Clock, current: Current) {
    this.#failures = registry.counter({
      name: 'kubelet_certificate_manager_client_expiration_renew_errors',
      help: '[ALPHA] Counter of certificate renewal errors.',
    });
    const name = 'kubelet_certificate_manager_client_ttl_seconds';
    const help =
      "[ALPHA] Gauge of the TTL (time-to-live) of the Kubelet's client certificate. The value is in seconds until certificate expiry (negative if already expired). If client certificate is invalid or unused, the value will be +INF.";
    registry.reading({ name, help }, () => secondsLeft(clock, current));
  }

  failed(): void {
    this.#failures.inc();
  }
}

export class ServingCertificateMetrics {
  readonly #failures: Counter;
  readonly #lifetimes: Histogram;

  constructor(registry: Registry, clock: Clock, current: Current) {
    this.#failures = registry.counter({
      name: 'kubelet_server_expiration_renew_errors',
      help: '[ALPHA] Counter of certificate renewal errors.',
    });
    this.#lifetimes = registry.histogram({
      name: 'kubelet_certificate_manager_server_rotation_seconds',
      help: '[ALPHA] Histogram of the number of seconds the previous certificate lived before being rotated.',
      buckets: LIFETIMES,
    });
    const name = 'kubelet_certificate_manager_server_ttl_seconds';
    const help =
      "[ALPHA] Gauge of the shortest TTL (time-to-live) of the Kubelet's serving certificate. The value is in seconds until certificate expiry (negative if already expired). If serving certificate is invalid or unused, the value will be +INF.";
    registry.reading({ name, help }, () => secondsLeft(clock, current));
  }

  failed(): void {
    this.#failures.inc();
  }

  rotated(lifeSeconds: number | null): void {
    if (lifeSeconds !== null) this.#lifetimes.observe(lifeSeconds);
  }
}

function secondsLeft(clock: Clock, current: Current): number {
  const held = current();
  return held ? Math.trunc((held.notAfterMs - clock.now()) / 1000) : Number.POSITIVE_INFINITY;
}

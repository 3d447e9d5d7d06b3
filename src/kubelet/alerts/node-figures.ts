/**
 * Reads the variables `metrics` and `samples` of alert rules for this node. A value that is not known is
 * absent, never 0.
 */
import type { Clock } from '../../ports/clock.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Registry } from '../../lib/metrics/registry.ts';

export interface NodeFiguresDeps {
  readonly clock: Clock;
  readonly registry: Registry;
  /** How long the API server has not answered. */
  readonly apiSilentMs: () => number;
  /** How far the API server's clock is ahead of this machine's. Null: its answers have no Date header. */
  readonly clockSkewMs: () => number | null;
  /** The pods of this node whose newest status the API server does not have. */
  readonly unwrittenPods: () => readonly string[];
}

const CLIENT_TTL = 'kubelet_certificate_manager_client_ttl_seconds';
const SERVING_TTL = 'kubelet_certificate_manager_server_ttl_seconds';

export class NodeFigures {
  readonly #deps: NodeFiguresDeps;
  /**
   * Since when the status of a pod waits to be written, by pod UID; as exact as the interval of `metrics()`
   * calls.
   */
  #unwrittenSince: ReadonlyMap<string, number> = new Map();

  constructor(deps: NodeFiguresDeps) {
    this.#deps = deps;
  }

  metrics(): JsonObject {
    const { apiSilentMs, clockSkewMs, registry } = this.#deps;
    const skewMs = clockSkewMs();
    const lifetimes = samplesOf(registry, [CLIENT_TTL, SERVING_TTL]);
    return {
      apiSilentSeconds: seconds(apiSilentMs()),
      statusWriteLagSeconds: seconds(this.#statusWriteLagMs()),
      ...(skewMs !== null && { clockSkewSeconds: seconds(skewMs) }),
      ...(CLIENT_TTL in lifetimes && { clientCertificateSeconds: lifetimes[CLIENT_TTL] ?? 0 }),
      ...(SERVING_TTL in lifetimes && { servingCertificateSeconds: lifetimes[SERVING_TTL] ?? 0 }),
    };
  }

  samples(): JsonObject {
    return samplesOf(this.#deps.registry, null);
  }

  #statusWriteLagMs(): number {
    const nowMs = this.#deps.clock.monotonic();
    const waiting = this.#deps.unwrittenPods().map((uid) => {
      return [uid, this.#unwrittenSince.get(uid) ?? nowMs] as const;
    });
    this.#unwrittenSince = new Map(waiting);
    return nowMs - Math.min(nowMs, ...waiting.map(([, sinceMs]) => sinceMs));
  }
}

/** The sum of each metric over all labels; for histograms, the counts and the sums. */
function samplesOf(registry: Registry, names: readonly string[] | null): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const family of registry.families()) {
    if (names !== null && !names.includes(family.name)) continue;
    for (const { metric } of family.members()) {
      for (const { suffix, le, value } of metric.samples()) {
        if (le !== null || !Number.isFinite(value)) continue;
        const name = `${family.name}${suffix}`;
        sums[name] = (sums[name] ?? 0) + value;
      }
    }
  }
  return sums;
}

function seconds(ms: number): number {
  return Math.round(ms / 100) / 10;
}

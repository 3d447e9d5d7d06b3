/**
 * Runs health checks, and builds the answers of /healthz, /livez and /readyz in the format of Kubernetes'
 * servers.
 *
 *     /readyz                  ok, or all checks with the failed ones; reasons are withheld
 *     /readyz?verbose          all checks
 *     /readyz?exclude=NAME     without one of them
 *     /readyz/NAME             one check, with its reason
 *
 * Each check declares in which of the three it counts. A check that depends on other machines counts only in
 * /readyz: a restart of this node does not end an outage of another machine, so neither a liveness probe nor
 * a watchdog may restart the node because of it.
 */

export type HealthEndpoint = 'healthz' | 'livez' | 'readyz';

export interface HealthCheck {
  readonly name: string;
  /** The endpoints in which the check counts. Absent: all. */
  readonly endpoints?: readonly HealthEndpoint[];
  /** Null: healthy. Otherwise the reason why not. */
  check(): string | null | Promise<string | null>;
}

export interface HealthObserver {
  checked(name: string, isHealthy: boolean, endpoint: HealthEndpoint): void;
}

export interface HealthReport {
  readonly status: 200 | 500;
  readonly body: string;
}

export const HEALTH_ENDPOINTS: readonly HealthEndpoint[] = ['healthz', 'livez', 'readyz'];

/** `ping` is always healthy, because the server answers; `log`, because podkeep never waits for its log. */
export const BUILT_IN_CHECKS: readonly HealthCheck[] = [
  { name: 'ping', check: () => null },
  { name: 'log', check: () => null },
];

/** The checks that count in an endpoint, in their order. */
export function checksOf(
  checks: readonly HealthCheck[],
  endpoint: HealthEndpoint,
): readonly HealthCheck[] {
  return checks.filter(({ endpoints = HEALTH_ENDPOINTS }) => endpoints.includes(endpoint));
}

/** The answer for all checks of an endpoint. */
export async function reportAll(
  endpoint: HealthEndpoint,
  checks: readonly HealthCheck[],
  query: URLSearchParams,
  observer?: HealthObserver,
): Promise<HealthReport> {
  const excluded = new Set(query.getAll('exclude'));
  let lines = '';
  let hasFailed = false;
  for (const check of checksOf(checks, endpoint)) {
    const { name } = check;
    if (excluded.delete(name)) {
      lines += `[+]${name} excluded: ok\n`;
      continue;
    }
    const isHealthy = (await problemOf(check)) === null;
    observer?.checked(name, isHealthy, endpoint);
    hasFailed ||= !isHealthy;
    lines += isHealthy ? `[+]${name} ok\n` : `[-]${name} failed: reason withheld\n`;
  }
  lines += unknownExclusionsOf(excluded);
  if (hasFailed) return { status: 500, body: `${lines}${endpoint} check failed\n` };
  return { status: 200, body: query.has('verbose') ? `${lines}${endpoint} check passed\n` : 'ok' };
}

/** The answer for a single check. It shows the reason, so callers must have authorized the client. */
export async function reportOne(check: HealthCheck): Promise<HealthReport> {
  const problem = await problemOf(check);
  return problem === null
    ? { status: 200, body: 'ok' }
    : { status: 500, body: `internal server error: ${problem}\n` };
}

/** The failed checks of an endpoint, as `NAME: REASON`. Empty: the endpoint is healthy. */
export async function failuresOf(
  endpoint: HealthEndpoint,
  checks: readonly HealthCheck[],
): Promise<readonly string[]> {
  const failures: string[] = [];
  for (const check of checksOf(checks, endpoint)) {
    const problem = await problemOf(check);
    if (problem !== null) failures.push(`${check.name}: ${problem}`);
  }
  return failures;
}

function unknownExclusionsOf(unknown: ReadonlySet<string>): string {
  if (unknown.size === 0) return '';
  const names = [...unknown].toSorted().map((name) => JSON.stringify(name));
  return `warn: some health checks cannot be excluded: no matches for ${names.join(', ')}\n`;
}

async function problemOf(check: HealthCheck): Promise<string | null> {
  try {
    return await check.check();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

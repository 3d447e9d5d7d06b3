/**
 * /healthz: whether the kubelet does its work, all checks together or each by its name. The reasons
 * are for those who may see a check by itself; the page of all withholds them, as the kubelet does.
 */
import type { ApiResponse } from '../../ports/http-handler.ts';
import type { Clock } from '../../ports/clock.ts';
import { errorText, text } from '../answers.ts';
import type { Page } from '../routing.ts';

export interface HealthCheck {
  readonly name: string;
  /** Null: all is well. Otherwise what is not. */
  check(): string | null | Promise<string | null>;
}

export interface HealthObserver {
  checked(name: string, isHealthy: boolean): void;
}

const LOOP_MS_MIN = 300_000;

/** There is somebody who answers; and nothing here ever waits for the log. */
const BUILT_IN: readonly HealthCheck[] = [
  { name: 'ping', check: () => null },
  { name: 'log', check: () => null },
];

/** The main loop went round lately. `lastTurnMs` is of the monotonic clock; null: it has not begun. */
export function syncLoopCheck(
  clock: Clock,
  lastTurnMs: () => number | null,
  resyncMs: number,
): HealthCheck {
  const msMax = Math.max(resyncMs * 2, LOOP_MS_MIN);
  return {
    name: 'syncloop',
    check: () => {
      const lastMs = lastTurnMs();
      const isLate = lastMs !== null && clock.monotonic() - lastMs > msMax;
      return isLate ? 'sync Loop took longer than expected' : null;
    },
  };
}

/** By path. */
export function healthPages(
  checks: readonly HealthCheck[],
  observer: HealthObserver,
): ReadonlyMap<string, Page> {
  const all = [...BUILT_IN, ...checks];
  const single = all.map((check): [string, Page] => [
    `/healthz/${check.name}`,
    () => answerOne(check),
  ]);
  return new Map<string, Page>([
    ['/healthz', ({ query }) => answerAll(all, query, observer)],
    ...single,
  ]);
}

async function answerOne(check: HealthCheck): Promise<ApiResponse> {
  const problem = await problemOf(check);
  return problem === null ? text(200, 'ok') : errorText(500, `internal server error: ${problem}`);
}

async function answerAll(
  checks: readonly HealthCheck[],
  query: URLSearchParams,
  observer: HealthObserver,
): Promise<ApiResponse> {
  const excluded = new Set(query.getAll('exclude'));
  let lines = '';
  let hasFailed = false;
  for (const check of checks) {
    const { name } = check;
    if (excluded.delete(name)) {
      lines += `[+]${name} excluded: ok\n`;
      continue;
    }
    const isHealthy = (await problemOf(check)) === null;
    observer.checked(name, isHealthy);
    hasFailed ||= !isHealthy;
    lines += isHealthy ? `[+]${name} ok\n` : `[-]${name} failed: reason withheld\n`;
  }
  lines += complaintOf(excluded);
  if (hasFailed) return errorText(500, `${lines}healthz check failed`);
  const { headers, status } = errorText(200, '');
  return { status, headers, body: query.has('verbose') ? `${lines}healthz check passed\n` : 'ok' };
}

function complaintOf(unknown: ReadonlySet<string>): string {
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

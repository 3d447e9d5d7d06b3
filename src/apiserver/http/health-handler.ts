/**
 * Serves /healthz, /livez and /readyz of the API server, with kube-apiserver's texts (lib/health-report.ts).
 * Its own checks are ping, log and store; a node in the same process adds the checks of its loops.
 */
import {
  BUILT_IN_CHECKS,
  checksOf,
  HEALTH_ENDPOINTS,
  reportAll,
  reportOne,
  type HealthCheck,
  type HealthEndpoint,
} from '../../lib/health-report.ts';
import type { ApiResponse } from '../../ports/api/http-handler.ts';
import type { ObjectStore } from '../../ports/api/object-store.ts';
import type { PathHandler } from '../requests/path-handler.ts';
import { pathNotFound } from './plain-handlers.ts';

/** Not the key of any object, because it names no resource. */
const UNUSED_KEY = '/health';

/** The checks are evaluated for each request: a node in the same process adds its own when it has started. */
export function healthHandler(
  store: Pick<ObjectStore, 'get'>,
  more: () => readonly HealthCheck[] = () => [],
): PathHandler {
  const own = [...BUILT_IN_CHECKS, storeCheck(store)];
  return (_request, { pathname, searchParams }) => {
    const endpoint = HEALTH_ENDPOINTS.find(
      (one) => pathname === `/${one}` || pathname.startsWith(`/${one}/`),
    );
    if (endpoint === undefined) return null;
    const name = pathname.slice(`/${endpoint}/`.length);
    return answerHealth(endpoint, name, [...own, ...more()], searchParams);
  };
}

/** Reads throw if the store is closed or damaged. */
function storeCheck(store: Pick<ObjectStore, 'get'>): HealthCheck {
  return {
    name: 'store',
    check: () => {
      store.get(UNUSED_KEY);
      return null;
    },
  };
}

/** `name`: the requested check. Empty: all checks. */
async function answerHealth(
  endpoint: HealthEndpoint,
  name: string,
  checks: readonly HealthCheck[],
  query: URLSearchParams,
): Promise<ApiResponse> {
  const one = checksOf(checks, endpoint).find((check) => check.name === name);
  if (name !== '' && !one) return pathNotFound();
  const { status, body } = one ? await reportOne(one) : await reportAll(endpoint, checks, query);
  return {
    status,
    headers: [
      ['content-type', 'text/plain; charset=utf-8'],
      ['x-content-type-options', 'nosniff'],
    ],
    body,
  };
}

/**
 * Serves /healthz, /livez and /readyz of the kubelet's server: all checks together, or one by its name
 * (lib/health-report.ts).
 */
import {
  BUILT_IN_CHECKS,
  HEALTH_ENDPOINTS,
  checksOf,
  reportAll,
  reportOne,
  type HealthCheck,
  type HealthObserver,
  type HealthReport,
} from '../../lib/health-report.ts';
import type { ApiResponse } from '../../ports/api/http-handler.ts';
import { errorText, text } from '../answers.ts';
import type { Handler } from '../routing.ts';

/** The handlers by path. */
export function healthHandlers(
  checks: readonly HealthCheck[],
  observer: HealthObserver,
): ReadonlyMap<string, Handler> {
  const all = [...BUILT_IN_CHECKS, ...checks];
  return new Map(
    HEALTH_ENDPOINTS.flatMap((endpoint): readonly [string, Handler][] => [
      [
        `/${endpoint}`,
        async ({ query }) => answerOf(await reportAll(endpoint, all, query, observer)),
      ],
      ...checksOf(all, endpoint).map((check): [string, Handler] => [
        `/${endpoint}/${check.name}`,
        async () => answerOfOne(await reportOne(check)),
      ]),
    ]),
  );
}

/** As in the kubelet, every answer but that of a single healthy check forbids browsers to guess the type. */
function answerOf({ status, body }: HealthReport): ApiResponse {
  const { headers } = errorText(status, '');
  return { status, headers, body };
}

function answerOfOne(report: HealthReport): ApiResponse {
  return report.status === 200 ? text(200, report.body) : answerOf(report);
}

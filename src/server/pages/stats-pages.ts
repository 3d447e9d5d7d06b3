/** /stats/summary and the metrics that are made of the same readings. */
import { cadvisorMetrics } from '../../kubelet/stats/cadvisor-metrics.ts';
import { resourceMetrics } from '../../kubelet/stats/resource-metrics.ts';
import type { StorageUsage } from '../../kubelet/stats/storage-usage.ts';
import { summaryOf } from '../../kubelet/stats/summary.ts';
import type { UsageReader } from '../../kubelet/stats/usage-reader.ts';
import { prometheusText } from '../../lib/metrics/exposition.ts';
import type { ApiResponse } from '../../ports/http-handler.ts';
import type { Log } from '../../ports/log.ts';
import { json, text } from '../answers.ts';

export interface StatsOptions {
  readonly nodeName: string;
  readonly log: Log;
  readonly usage: Pick<UsageReader, 'read'>;
  readonly storage: StorageUsage;
}

export async function summaryPage(
  { nodeName, log, usage, storage }: StatsOptions,
  query: URLSearchParams,
): Promise<ApiResponse> {
  const flags = query.getAll('only_cpu_and_memory');
  const isShort = flags.length === 1 && flags[0] === 'true';
  try {
    const found = await usage.read();
    return json(await summaryOf({ nodeName, usage: found, storage: isShort ? null : storage }));
  } catch (error) {
    log.error('the summary of what pods use could not be made', { error });
    return text(500, `Internal Error: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** A reading that failed is told in the metrics themselves. */
export async function resourcePage({ usage, log }: StatsOptions): Promise<ApiResponse> {
  const found = await usage.read().catch((error: unknown) => {
    log.error('what pods use could not be read', { error });
    return null;
  });
  return metricsAnswer(resourceMetrics(found));
}

export async function cadvisorPage({ usage, log }: StatsOptions): Promise<ApiResponse> {
  const found = await usage.read().catch((error: unknown) => {
    log.error('what pods use could not be read', { error });
    return null;
  });
  return metricsAnswer(found ? cadvisorMetrics(found) : '');
}

export function metricsAnswer(body: string): ApiResponse {
  return { status: 200, headers: [['content-type', prometheusText.contentType]], body };
}

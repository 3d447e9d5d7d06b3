/** Serves /stats/summary, /metrics/resource and /metrics/cadvisor, from the same readings. */
import { cadvisorMetrics } from '../../kubelet/stats/cadvisor-metrics.ts';
import { resourceMetrics } from '../../kubelet/stats/resource-metrics.ts';
import type { StorageUsage } from '../../kubelet/stats/storage-usage.ts';
import { summaryOf } from '../../kubelet/stats/summary.ts';
import type { UsageReader } from '../../kubelet/stats/usage-reader.ts';
import { prometheusText } from '../../lib/metrics/exposition.ts';
import type { ApiResponse } from '../../ports/api/http-handler.ts';
import type { Log } from '../../ports/log.ts';
import { json, text } from '../answers.ts';

export interface StatsOptions {
  readonly nodeName: string;
  readonly log: Log;
  readonly usage: Pick<UsageReader, 'read'>;
  readonly storage: StorageUsage;
  /** Returns the name of a block device. Empty: not known. Absent: no names are known. */
  readonly deviceName?: ((major: number, minor: number) => string) | undefined;
}

export async function summaryHandler(
  { nodeName, log, usage, storage }: StatsOptions,
  query: URLSearchParams,
): Promise<ApiResponse> {
  const flags = query.getAll('only_cpu_and_memory');
  const isShort = flags.length === 1 && flags[0] === 'true';
  try {
    const found = await usage.read();
    return json(await summaryOf({ nodeName, usage: found, storage: isShort ? null : storage }));
  } catch (error) {
    log.error('Failed to build the stats summary', { error });
    return text(500, `Internal Error: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** If the reading fails, the metrics themselves report it. */
export async function resourceHandler({ usage, log }: StatsOptions): Promise<ApiResponse> {
  const found = await usage.read().catch((error: unknown) => {
    log.error('Failed to read the resource usage of pods', { error });
    return null;
  });
  return metricsAnswer(resourceMetrics(found));
}

export async function cadvisorHandler({
  usage,
  log,
  deviceName,
}: StatsOptions): Promise<ApiResponse> {
  const found = await usage.read().catch((error: unknown) => {
    log.error('Failed to read the resource usage of pods', { error });
    return null;
  });
  return metricsAnswer(found ? cadvisorMetrics(found, deviceName) : '');
}

export function metricsAnswer(body: string): ApiResponse {
  return { status: 200, headers: [['content-type', prometheusText.contentType]], body };
}

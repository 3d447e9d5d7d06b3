/**
 * Builds the kubelet's server for a node.
 *
 * Its code is loaded at the first request, because most nodes of `podkeep up` serve hardly any.
 */
import type { Pod } from '../../../api/pod.ts';
import { DiskLogSource } from '../../../kubelet/logs/disk-log-source.ts';
import type { NodeQuery } from '../../../kubelet/query/node-query.ts';
import { LogReader } from '../../../kubelet/logs/log-reader.ts';
import { readMachineUsage } from '../../../kubelet/stats/machine-usage.ts';
import { StorageUsage } from '../../../kubelet/stats/storage-usage.ts';
import { deviceNames } from '../../../kubelet/stats/device-names.ts';
import { UsageReader } from '../../../kubelet/stats/usage-reader.ts';
import type { HealthCheck } from '../../../lib/health-report.ts';
import { isJsonObject } from '../../../lib/json.ts';
import { systemClock as clock } from '../../../platform/system-clock.ts';
import type { KubeApi } from '../../../ports/api/kube-api.ts';
import type { Log } from '../../../ports/log.ts';
import type { OwnLog } from '../../../ports/observe/own-log.ts';
import { KubeletServer } from '../../../server/kubelet-server.ts';
import { createStreaming } from '../../../server/streaming/streaming.ts';
import { configzOf } from '../../config/configz.ts';
import type { KubeletConfig } from '../../config/kubelet-config.ts';
import { buildInfo } from '../../server-version.ts';
import { kubeletAccess } from './kubelet-access.ts';
import type { NodeParts } from '../node.ts';
import { hostNamesOf } from '../query/host-names.ts';
import { streamFinder } from './stream-finder.ts';

export interface NodeServerOptions {
  readonly name: string;
  readonly folder: string;
  readonly api: KubeApi;
  readonly config: KubeletConfig;
  readonly version: string;
  readonly log: Log;
  /** Absent: podkeep's own log is not served, and its verbosity cannot be changed. */
  readonly ownLog?: OwnLog;
  /** Of the command line, for /flagz; absent: it is not served. */
  readonly flags?: Readonly<Record<string, string>>;
  readonly parts: NodeParts;
  readonly checks: readonly HealthCheck[];
  readonly query: NodeQuery;
  /** Other host names under which clients reach this server. Absent: none. */
  readonly hostNames?: readonly string[] | undefined;
}

export function createNodeServer(options: NodeServerOptions): KubeletServer {
  const { name, folder, api, config, version, log, ownLog, flags, parts, query, checks } = options;
  const { kubelet, storage, opened, metrics, probeRegistry, cgroups } = parts;
  const { runtime } = kubelet;
  const pods = (): readonly Pod[] => kubelet.podsWithStatus();
  const source = opened.simulated?.logs ?? new DiskLogSource(storage.files);
  const { kubeletconfig } = configzOf(config);
  return new KubeletServer({
    clock,
    log,
    nodeName: name,
    access: kubeletAccess(api, config),
    pods,
    findPod: (namespace, podName) => kubelet.findWithStatus({ namespace, name: podName }),
    runtime,
    logs: new LogReader({ clock, log, source, runtime }),
    usage: new UsageReader({
      runtime,
      pods,
      machine: () => readMachineUsage(clock),
      cgroups: cgroups && (() => cgroups.stats()),
    }),
    deviceName: deviceNames(),
    storage: new StorageUsage({
      clock,
      rootFolder: folder,
      files: storage.files,
      images: runtime.images,
      countMs: config.volumeStatsAggPeriodMs,
    }),
    metrics: metrics.registry,
    refreshCounts: () => metrics.storage.volumesCounted(storage.volumes.counts()),
    probeMetrics: probeRegistry,
    build: buildInfo(version),
    configz: () => (isJsonObject(kubeletconfig) ? kubeletconfig : {}),
    checks,
    streaming: createStreaming({
      runtime,
      findPod: streamFinder(kubelet),
      clock,
      log,
      idleMs: config.streamingConnectionIdleTimeoutMs,
    }),
    ...(ownLog && { ownLog }),
    ...(flags && {
      flags: () => (ownLog ? { ...flags, v: String(ownLog.verbosity) } : flags),
    }),
    settings: {
      enableDebuggingHandlers: config.enableDebuggingHandlers,
      enableDebugFlagsHandler: config.enableDebugFlagsHandler,
      enableSystemLogQuery: config.enableSystemLogHandler && config.enableSystemLogQuery,
    },
    query,
    hostNames: () => hostNamesOf(parts.agent.addresses(), config, options.hostNames),
  });
}

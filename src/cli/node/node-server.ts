/**
 * The kubelet's own server, put together for a node.
 *
 * Most nodes of `podkeep up` are never asked for anything but a log or two, so it is loaded with the
 * first request.
 */
import type { Pod } from '../../api/pod.ts';
import { DiskLogSource } from '../../kubelet/logs/disk-log-source.ts';
import { LogReader } from '../../kubelet/logs/log-reader.ts';
import { readMachineUsage } from '../../kubelet/stats/machine-usage.ts';
import { StorageUsage } from '../../kubelet/stats/storage-usage.ts';
import { UsageReader } from '../../kubelet/stats/usage-reader.ts';
import { isJsonObject } from '../../lib/json.ts';
import { systemClock as clock } from '../../platform/system-clock.ts';
import type { KubeApi } from '../../ports/kube-api.ts';
import type { Log } from '../../ports/log.ts';
import { KubeletServer } from '../../server/kubelet-server.ts';
import { createStreaming } from '../../server/streaming/streaming.ts';
import { configzOf } from '../config/configz.ts';
import type { KubeletConfig } from '../config/kubelet-config.ts';
import { buildInfo } from '../server-version.ts';
import { kubeletAccess } from './kubelet-access.ts';
import type { NodeParts } from './node.ts';
import { streamFinder } from './stream-finder.ts';

export interface NodeServerOptions {
  readonly name: string;
  readonly folder: string;
  readonly api: KubeApi;
  readonly config: KubeletConfig;
  readonly version: string;
  readonly log: Log;
  readonly parts: NodeParts;
}

export function createNodeServer(options: NodeServerOptions): KubeletServer {
  const { name, folder, api, config, version, log, parts } = options;
  const { kubelet, storage, opened, metrics, probeRegistry } = parts;
  const { runtime } = kubelet.engine;
  const pods = (): readonly Pod[] => kubelet.podsWithStatus();
  const source = opened.imagined?.logs ?? new DiskLogSource(storage.files);
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
    usage: new UsageReader({ runtime, pods, machine: () => readMachineUsage(clock) }),
    storage: new StorageUsage({
      clock,
      rootFolder: folder,
      files: storage.files,
      images: runtime.images,
      countMs: config.volumeStatsAggPeriodMs,
    }),
    metrics: metrics.registry,
    probeMetrics: probeRegistry,
    build: buildInfo(version),
    configz: () => (isJsonObject(kubeletconfig) ? kubeletconfig : {}),
    checks: [{ name: 'syncloop', check: () => kubelet.health() }],
    streaming: createStreaming({
      runtime,
      findPod: streamFinder(kubelet),
      clock,
      log,
      idleMs: config.streamingConnectionIdleTimeoutMs,
    }),
    settings: { enableDebuggingHandlers: config.enableDebuggingHandlers },
  });
}

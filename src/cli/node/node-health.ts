/** Builds the health checks of a node (cli/health-checks.ts) from its parts. */
import type { HealthCheck } from '../../lib/health-report.ts';
import { measureEventLoopLag } from '../../platform/event-loop-lag.ts';
import { systemClock as clock } from '../../platform/system-clock.ts';
import type { ClosingList } from '../closing-list.ts';
import type { KubeletConfig } from '../config/kubelet-config.ts';
import { apiCheck, diskCheck, eventLoopCheck, loopChecks } from '../health-checks.ts';
import type { NodeParts } from './node.ts';

export interface NodeHealthOptions {
  readonly folder: string;
  readonly config: Pick<KubeletConfig, 'nodeLeaseDurationSeconds'>;
}

export function nodeHealthChecks(
  { folder, config }: NodeHealthOptions,
  { kubelet, agent }: Pick<NodeParts, 'kubelet' | 'agent'>,
  closing: ClosingList,
): readonly HealthCheck[] {
  const lag = measureEventLoopLag(clock);
  closing.add(() => Promise.resolve(lag.stop()));
  return [
    ...loopChecks({
      syncLoop: () => kubelet.loopFaults().syncLoop,
      housekeeping: () => kubelet.loopFaults().housekeeping,
      podCache: () => kubelet.loopFaults().podCache,
      runtime: () => kubelet.notReadyReasons(),
      runtimeDownForMs: () => kubelet.loopFaults().runtimeDownForMs,
    }),
    eventLoopCheck(lag),
    apiCheck({
      silentMs: () => agent.apiSilentMs(),
      silentMsMax: config.nodeLeaseDurationSeconds * 1000,
    }),
    diskCheck(folder, clock, () => agent.pressures().has('DiskPressure')),
  ];
}

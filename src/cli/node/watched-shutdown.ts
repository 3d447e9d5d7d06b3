/**
 * Builds the kubelet's dependencies for graceful node shutdown: the logind inhibitor, and the file with the
 * state of the last shutdown.
 */
import type { KubeletShutdown } from '../../kubelet/kubelet-options.ts';
import { LogindInhibitor } from '../../kubelet/node-shutdown/logind-inhibitor.ts';
import { shutdownStateFile } from '../../kubelet/node-shutdown/shutdown-state.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';

export interface WatchedShutdownOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Of the node. */
  readonly folder: string;
  readonly systemBusAddress?: string | undefined;
}

/** Nothing is started: the kubelet opens the inhibitor if its settings have a period for shutdowns. */
export function watchedShutdown(options: WatchedShutdownOptions): KubeletShutdown {
  const { clock, log, folder, systemBusAddress: address } = options;
  return {
    inhibitor: new LogindInhibitor({ clock, log, address }),
    state: shutdownStateFile(folder),
  };
}

/** Applies command-line flags that override fields of PodkeepConfiguration. */
import path from 'node:path';
import type { KubeletConfig } from './kubelet-config.ts';

export interface AlertFlags {
  /** A folder with rule files. */
  readonly alertRules?: string;
  /** False: only the rules of files are evaluated. */
  readonly defaultAlerts?: boolean;
  /** Whether rules may run commands. */
  readonly alertCommands?: boolean;
}

export interface PodkeepFlags extends AlertFlags {
  readonly podMasquerade?: boolean;
}

export function withPodkeepFlags(
  config: KubeletConfig,
  { podMasquerade: masquerade, alertRules, defaultAlerts, alertCommands }: PodkeepFlags,
): KubeletConfig {
  if ((masquerade ?? alertRules ?? alertCommands) === undefined && defaultAlerts !== false)
    return config;
  const { podkeep } = config;
  const process = masquerade === undefined ? podkeep.process : { ...podkeep.process, masquerade };
  const alerts = {
    ...podkeep.alerts,
    ...(alertRules !== undefined && { rules: path.resolve(alertRules) }),
    ...(defaultAlerts === false && { defaults: false }),
    ...(alertCommands !== undefined && { commands: alertCommands }),
  };
  return { ...config, podkeep: { ...podkeep, process, alerts } };
}

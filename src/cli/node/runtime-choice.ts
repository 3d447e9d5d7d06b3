/**
 * Chooses the runtime: that of --runtime, else the endpoint in the configuration, else the process runtime.
 */
import { InvalidArgumentError } from 'commander';
import type { KubeletConfig } from '../config/kubelet-config.ts';

/** Those that are named and not reached by an address. */
const NAMED: ReadonlySet<string> = new Set(['process', 'simulated']);

export function isEndpoint(choice: string): boolean {
  return choice.includes('://') || choice.startsWith('/');
}

/** For the command line: an invalid value is refused before anything starts. */
export function parseRuntime(text: string): string {
  if (NAMED.has(text) || isEndpoint(text)) return text;
  throw new InvalidArgumentError(
    'Choose process, simulated, or an endpoint such as unix:///run/containerd/containerd.sock.',
  );
}

export function runtimeChoice(
  given: string | undefined,
  { containerRuntimeEndpoint }: Pick<KubeletConfig, 'containerRuntimeEndpoint'>,
): string {
  return given ?? (containerRuntimeEndpoint || 'process');
}

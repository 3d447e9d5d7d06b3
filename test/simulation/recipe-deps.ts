/** The dependencies of the recipes, in one life of podkeep. */
import type { Container, Pod } from '../../src/api/pod.ts';
import type { StatusManager } from '../../src/kubelet/status-manager/status-manager.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Mirrors } from './mirrors.ts';
import type { SimulatedPodCache } from './pod-cache.ts';
import type { Prober } from './prober.ts';
import type { Runtime } from './runtime.ts';
import type { Volumes } from './volumes.ts';
import type { Weather } from './weather.ts';

export interface RecipeDeps {
  readonly clock: Clock;
  readonly runtime: RuntimeCalls;
  readonly volumes: Volumes;
  readonly status: StatusManager;
  readonly cache: SimulatedPodCache;
  readonly prober: Prober;
  readonly mirrors: Mirrors;
  readonly weather: Weather;
  /** Inspects the pod in the runtime, and notifies the workers if it changed. */
  readonly look: (uid: string) => void;
}

/** The runtime as podkeep reaches it. */
export interface RuntimeCalls {
  createSandbox(pod: Pod, attempt: number): Promise<string>;
  start(uid: string, sandboxID: string, spec: Container, attempt: number): Promise<void>;
  stop(uid: string, id: string, graceMs: number, signal: AbortSignal): Promise<void>;
  stopSandboxes(uid: string): void;
  /** The IDs of the pod's containers that run. */
  running(uid: string): readonly string[];
}

/** Passes an answer on only while the podkeep that asked is alive. */
export type Gate = <Answer>(answer: Promise<Answer>) => Promise<Answer>;

export function callRuntime(runtime: Runtime, gate: Gate): RuntimeCalls {
  return {
    createSandbox: (pod, attempt) => gate(runtime.createSandbox(pod, attempt)),
    start: (uid, sandboxID, spec, attempt) => gate(runtime.start(uid, sandboxID, spec, attempt)),
    stop: (uid, id, graceMs, signal) => gate(runtime.stop(uid, id, graceMs, signal)),
    stopSandboxes: (uid) => runtime.stopSandboxes(uid),
    running: (uid) => runtime.records.running(uid).map(({ id }) => id),
  };
}

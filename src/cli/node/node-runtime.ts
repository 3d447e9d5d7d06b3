/**
 * Opens the runtime of a node: processes of this machine, a container runtime, or a simulation.
 *
 * Only the code of the chosen runtime is loaded.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { quantityValue } from '../../api/values/quantity.ts';
import { parseQuantity } from '../../api/values/quantity-text.ts';
import { parseResolvConf } from '../../kubelet/volumes/payload/resolv-conf.ts';
import { defineError } from '../../lib/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EventRecorder } from '../../ports/observe/event-recorder.ts';
import type { Log } from '../../ports/log.ts';
import type { LogSource } from '../../ports/pod/log-source.ts';
import type { PodFiles } from '../../ports/pod/pod-files.ts';
import type { IdentityRandom } from '../../ports/random.ts';
import type { PodRuntime } from '../../ports/runtime/pod-runtime.ts';
import type { PodNetworks } from '../../runtimes/process/sandbox/pod-networks.ts';
import type { KubeletConfig } from '../config/kubelet-config.ts';
import { isEndpoint } from './runtime-choice.ts';

export interface RuntimeOptions {
  /** `process`, `simulated` or an endpoint; or a runtime that the caller has made. */
  readonly choice: string | PodRuntime;
  /** The folder of the node. */
  readonly folder: string;
  /** Folders that no container is to see. */
  readonly hiddenFolders: readonly string[];
  readonly config: Pick<
    KubeletConfig,
    'podkeep' | 'resolvConf' | 'containerLogMaxSize' | 'containerLogMaxFiles' | 'podPidsLimit'
  >;
  /** Of a container runtime: where its images are kept, if elsewhere, and how long it may take. */
  readonly imageServiceEndpoint: string;
  readonly runtimeRequestTimeoutMs: number;
  readonly version: string;
  /** Where the user who started podkeep finds commands. */
  readonly searchPath: string;
  readonly clock: Clock;
  readonly random: IdentityRandom;
  readonly log: Log;
  readonly events: EventRecorder;
  /** Called with the address under which pods reach this machine. */
  readonly reachable: (address: string) => Promise<void>;
  /** Which node of this process it is: simulated pods of different nodes have different networks. Absent: 0. */
  readonly slot?: number;
  /** The pod networks of the other nodes of this process; absent: there are none. */
  readonly podNetworks?: PodNetworks;
}

export interface OpenRuntime {
  readonly runtime: PodRuntime;
  /** Of a simulation, which keeps everything in memory. */
  readonly simulated?: { readonly files: PodFiles; readonly logs: LogSource };
}

const runtimeUnknown = defineError<{ choice: string }>({
  code: 'RUNTIME_UNKNOWN',
  retry: 'never',
  message: ({ choice }) => `there is no runtime ${JSON.stringify(choice)}`,
  hint: () =>
    'Choose process, simulated, or an endpoint such as unix:///run/containerd/containerd.sock.',
});

export async function openRuntime(options: RuntimeOptions): Promise<OpenRuntime> {
  const { choice } = options;
  if (typeof choice !== 'string') return { runtime: choice };
  switch (choice) {
    case 'process':
      return openProcesses(options);
    case 'simulated':
      return openSimulation(options);
    default:
      if (isEndpoint(choice)) return openContainers(choice, options);
      throw runtimeUnknown({ choice });
  }
}

async function openProcesses(options: RuntimeOptions): Promise<OpenRuntime> {
  const { openProcessRuntime } = await import('../../runtimes/process/process-runtime.ts');
  const { clock, random, log, events, version, config, reachable } = options;
  const { hiddenFolders = [], ...process } = config.podkeep.process;
  const runtime = await openProcessRuntime({
    ...process,
    images: config.podkeep.images,
    resolvers: await resolversOf(config.resolvConf),
    folder: path.join(options.folder, 'runtime'),
    hiddenFolders: [...options.hiddenFolders, ...hiddenFolders],
    logs: {
      maxBytes: Number(quantityValue(parseQuantity(config.containerLogMaxSize))),
      maxFiles: config.containerLogMaxFiles,
    },
    podPidsLimit: config.podPidsLimit,
    machinePath: options.searchPath,
    clock,
    random,
    log,
    events,
    version,
    reachable,
    ...(options.podNetworks && { podNetworks: options.podNetworks }),
  });
  return { runtime };
}

/** The DNS servers of the node. A file that cannot be read names none, as for the kubelet. */
async function resolversOf(file: string): Promise<readonly string[]> {
  return parseResolvConf(await readFile(file, 'utf8').catch(() => '')).servers;
}

async function openContainers(endpoint: string, options: RuntimeOptions): Promise<OpenRuntime> {
  const { openCriRuntime } = await import('../../runtimes/cri/cri-runtime.ts');
  const { clock, log, imageServiceEndpoint, runtimeRequestTimeoutMs } = options;
  const runtime = await openCriRuntime({
    endpoint,
    ...(imageServiceEndpoint !== '' && { imageEndpoint: imageServiceEndpoint }),
    requestTimeoutMs: runtimeRequestTimeoutMs,
    clock,
    log,
  });
  return { runtime };
}

async function openSimulation({ clock, config, slot = 0 }: RuntimeOptions): Promise<OpenRuntime> {
  const [
    { SimulatedMachine, FIRST_POD_NETWORK },
    { SimulatedRuntime },
    { SimulatedPodFiles },
    { SimulatedLogSource },
  ] = await Promise.all([
    import('../../runtimes/simulated/machine.ts'),
    import('../../runtimes/simulated/simulated-runtime.ts'),
    import('../../runtimes/simulated/simulated-pod-files.ts'),
    import('../../runtimes/simulated/simulated-log-source.ts'),
  ]);
  const podNetwork = FIRST_POD_NETWORK + slot;
  const machine = new SimulatedMachine({ ...config.podkeep.simulated, clock, podNetwork });
  return {
    runtime: new SimulatedRuntime({ machine }),
    simulated: { files: new SimulatedPodFiles(machine), logs: new SimulatedLogSource(machine) },
  };
}

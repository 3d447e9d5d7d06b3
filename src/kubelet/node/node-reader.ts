/** Reads the facts for the node's status from the machine, the runtime and the kubelet. */
import type { MachineInfo } from '../../api/machine.ts';
import type { Pressure } from '../../core/eviction/eviction-signal.ts';
import { nodeIPs } from '../../core/node/node-addresses.ts';
import type { NodeImage } from '../../core/node/node-images.ts';
import type { NodeSettings } from '../../core/node/node-settings.ts';
import type { NodeReading } from '../../core/node/node-status.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { MachineFacts } from '../../ports/machine-facts.ts';
import type { PodRuntime, RuntimeStatus } from '../../ports/runtime/pod-runtime.ts';
import { Remembered } from './remembered.ts';

export interface NodeReaderOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly nodeName: string;
  readonly machine: MachineFacts;
  readonly runtime: Pick<PodRuntime, 'name' | 'version' | 'status' | 'images'>;
  readonly settings: NodeSettings;
  readonly kubeletVersion: string;
  /** The port of the kubelet's own server. */
  readonly kubeletPort: number;
  /** The configured addresses, at most one of each IP family. Empty: those of the machine are used. */
  readonly addresses: readonly string[];
  /** The folder of the files of pods. */
  readonly rootFolder: string;
  /** Why the node is not ready, the most severe reason first. Empty: it is ready. */
  readonly readiness: () => readonly string[];
  /** Null: not known yet. Absent: this node attaches no volumes. */
  readonly volumesInUse?: (() => readonly string[] | null) | undefined;
}

const MACHINE_FRESH_MS = 300_000;
const VERSION_FRESH_MS = 60_000;
const IMAGES_FRESH_MS = 30_000;

export class NodeReader {
  readonly #options: NodeReaderOptions;
  readonly #pressures: () => ReadonlySet<Pressure>;
  readonly #machine: Remembered<MachineInfo | null>;
  readonly #storage: Remembered<number | null>;
  readonly #version: Remembered<string>;
  readonly #abilities: Remembered<RuntimeStatus | null>;
  readonly #images: Remembered<readonly NodeImage[]>;

  constructor(
    options: NodeReaderOptions,
    pressures: () => ReadonlySet<Pressure>,
    signal: AbortSignal,
  ) {
    const { clock, log, machine, runtime, settings, rootFolder } = options;
    const common = { clock, log, signal };
    this.#options = options;
    this.#pressures = pressures;
    this.#machine = new Remembered<MachineInfo | null>({
      ...common,
      what: 'machine info',
      ask: () => machine.info(),
      freshMs: MACHINE_FRESH_MS,
      otherwise: null,
      keeps: true,
    });
    this.#storage = new Remembered<number | null>({
      ...common,
      what: 'the pod filesystem',
      ask: async () =>
        settings.hasLocalStorageIsolation
          ? (await machine.fileSystem(rootFolder)).bytes.capacity
          : null,
      freshMs: MACHINE_FRESH_MS,
      otherwise: null,
      keeps: true,
    });
    this.#version = new Remembered<string>({
      ...common,
      what: 'the version of the runtime',
      ask: async () => (await runtime.version()).version,
      freshMs: VERSION_FRESH_MS,
      otherwise: 'Unknown',
      keeps: false,
    });
    this.#abilities = new Remembered<RuntimeStatus | null>({
      ...common,
      what: 'the features of the runtime',
      ask: () => runtime.status(),
      freshMs: VERSION_FRESH_MS,
      otherwise: null,
      keeps: true,
    });
    this.#images = new Remembered<readonly NodeImage[]>({
      ...common,
      what: 'the list of images',
      ask: () => runtime.images.list(),
      freshMs: IMAGES_FRESH_MS,
      otherwise: [],
      keeps: false,
    });
  }

  async read(): Promise<NodeReading> {
    const { nodeName, addresses, runtime, kubeletVersion, kubeletPort } = this.#options;
    const [machine, storageBytes, version, abilities, images] = await Promise.all([
      this.#machine.get(),
      this.#storage.get(),
      this.#version.get(),
      this.#abilities.get(),
      this.#images.get(),
    ]);
    return {
      machine,
      storageBytes,
      images,
      nodeName,
      kubeletVersion,
      kubeletPort,
      runtimeVersion: `${runtime.name}://${version}`,
      ...abilitiesOf(abilities),
      ips: nodeIPs(addresses, nodeName, machine?.addresses ?? []),
      volumesInUse: this.#options.volumesInUse?.() ?? null,
      pressures: this.#pressures(),
      reasons: this.#options.readiness(),
    };
  }
}

function abilitiesOf(
  status: RuntimeStatus | null,
): Pick<NodeReading, 'runtimeHandlers' | 'hasSupplementalGroupsPolicy'> {
  const { handlers, features } = status ?? {};
  const hasSupplementalGroupsPolicy = features?.hasSupplementalGroupsPolicy;
  return {
    ...(handlers && { runtimeHandlers: handlers }),
    ...(hasSupplementalGroupsPolicy !== undefined && { hasSupplementalGroupsPolicy }),
  };
}

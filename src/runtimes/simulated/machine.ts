/**
 * The machine of a simulated runtime: its sandboxes, containers and images.
 *
 * It outlives every SimulatedRuntime that is opened over it, so that a test can end podkeep and start it
 * again. Addresses come from 10.88.0.0/16, or another network of that size; each is used by one sandbox at a
 * time.
 */
import type { RuntimePod, RuntimeSandbox } from '../../api/runtime-pod.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ContainerConfig } from '../../ports/runtime/container-config.ts';
import type { RuntimeEvent, RuntimePodEntry } from '../../ports/runtime/pod-runtime.ts';
import type { SandboxConfig } from '../../ports/runtime/sandbox-config.ts';
import { SimulatedContainer, type LogLine } from './container.ts';
import { conflict, notFound, sandboxStopped } from './errors.ts';
import type { ContainerScripts } from './script.ts';

export interface SimulatedMachineOptions {
  readonly clock: Clock;
  /** Absent: every container runs until it is stopped. */
  readonly scripts?: ContainerScripts;
  /** Names of images that are present. Absent: every image. */
  readonly images?: readonly string[];
  /** Names of images that can be pulled, and how long that takes. Absent: every image, instantly. */
  readonly registry?: ReadonlyMap<string, number>;
  /**
   * Called for every log line; `file` is the kubelet's log path. Null: the log begins, empty. Lines are in
   * memory, too.
   */
  readonly writeLog?: (file: string, line: LogLine | null) => void;
  /** The second number of its addresses: machines with different ones share no address. Absent: 88. */
  readonly podNetwork?: number;
}

interface Sandbox {
  readonly id: string;
  readonly config: SandboxConfig;
  readonly ip: string;
  isReady: boolean;
}

/** Oldest first. */
interface PodRecord {
  readonly sandboxes: Set<Sandbox>;
  readonly containers: Set<SimulatedContainer>;
}

const ADDRESSES_MAX = 65_000;
export const FIRST_POD_NETWORK = 88;

export class SimulatedMachine {
  readonly options: SimulatedMachineOptions;
  readonly #pods = new Map<string, PodRecord>();
  readonly #sandboxes = new Map<string, Sandbox>();
  readonly #containers = new Map<string, SimulatedContainer>();
  readonly #listeners = new Set<(event: RuntimeEvent) => void>();
  readonly #addresses = new Set<number>();
  #lastAddress = 0;
  #lastId = 0;

  constructor(options: SimulatedMachineOptions) {
    this.options = options;
  }

  follow(listener: (event: RuntimeEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Lists pods that have a sandbox or a container. */
  list(): readonly RuntimePodEntry[] {
    return [...this.#pods].flatMap(([uid, { sandboxes }]) => {
      const [sandbox] = sandboxes;
      if (!sandbox) return [];
      const { podName: name, namespace } = sandbox.config;
      return [{ uid, name, namespace, pod: this.inspect(uid) }];
    });
  }

  inspect(podUid: string): RuntimePod {
    const record = this.#pods.get(podUid);
    const sandboxes = [...(record?.sandboxes ?? [])].toReversed();
    const containers = [...(record?.containers ?? [])].toReversed();
    const [newest] = sandboxes;
    const hasAddress = newest?.isReady === true && newest.ip !== '';
    return {
      sandboxes: sandboxes.map(viewOf),
      containers: containers.map((container) => container.view()),
      ips: hasAddress ? [newest.ip] : [],
    };
  }

  running(): readonly SimulatedContainer[] {
    return [...this.#containers.values()].filter(({ state }) => state === 'running');
  }

  /** Returns the sandbox of this attempt if it exists. Throws RUNTIME_CONFLICT if that one was stopped. */
  runSandbox(config: SandboxConfig): string {
    const { podUid, attempt, hostNetwork } = config;
    const record = this.#recordOf(podUid);
    const same = [...record.sandboxes].find(({ config: { attempt: used } }) => used === attempt);
    if (same?.isReady) return same.id;
    if (same) throw conflict({ what: `sandbox ${attempt} of ${podUid}`, reason: 'it was stopped' });
    const id = this.#newId('sandbox');
    const ip = hostNetwork ? '' : this.#newAddress();
    const sandbox = { id, config, ip, isReady: true };
    this.#sandboxes.set(id, sandbox);
    record.sandboxes.add(sandbox);
    this.#notify({ podUid, type: 'sandboxChanged' });
    return id;
  }

  /** Kills all containers of the sandbox, too. */
  stopSandbox(id: string): void {
    const sandbox = this.#sandboxes.get(id);
    if (!sandbox?.isReady) return;
    sandbox.isReady = false;
    this.#addresses.delete(numberOf(sandbox.ip));
    for (const container of this.#inSandbox(sandbox)) container.kill();
    this.#notify({ podUid: sandbox.config.podUid, type: 'sandboxChanged' });
  }

  removeSandbox(id: string): void {
    const sandbox = this.#sandboxes.get(id);
    if (!sandbox) return;
    this.stopSandbox(id);
    for (const { options } of this.#inSandbox(sandbox)) this.removeContainer(options.id);
    const { podUid } = sandbox.config;
    this.#sandboxes.delete(id);
    this.#recordOf(podUid).sandboxes.delete(sandbox);
    if (this.#recordOf(podUid).sandboxes.size === 0) this.#pods.delete(podUid);
    this.#notify({ podUid, type: 'sandboxChanged' });
  }

  createContainer(sandboxId: string, config: ContainerConfig): SimulatedContainer {
    const sandbox = this.#sandboxes.get(sandboxId);
    if (!sandbox) throw notFound({ what: 'sandbox', id: sandboxId });
    if (!sandbox.isReady) throw sandboxStopped({ id: sandboxId });
    const { podUid, podName, namespace } = sandbox.config;
    const { name, attempt } = config;
    const same = this.#inSandbox(sandbox).find(
      ({ options }) => options.config.name === name && options.config.attempt === attempt,
    );
    if (same?.state === 'created') return same;
    if (same) throw conflict({ what: `container ${name}`, reason: `attempt ${attempt} was made` });
    const id = `simulated://${this.#newId(name)}`;
    const { clock, scripts = () => ({}), writeLog } = this.options;
    const logFile = `${sandbox.config.logFolder}/${config.logPath}`;
    const wrote = (line: LogLine | null): void => writeLog?.(logFile, line);
    const script = scripts({ podName, namespace, config });
    const changed = (type: RuntimeEvent['type']): void =>
      this.#notify({ podUid, type, containerId: id });
    const fate = { script, clock, changed, wrote };
    const container = new SimulatedContainer({ id, podUid, sandboxId, config, ...fate });
    this.#containers.set(id, container);
    this.#recordOf(podUid).containers.add(container);
    return container;
  }

  removeContainer(id: string): void {
    const container = this.#containers.get(id);
    if (!container) return;
    container.kill();
    this.#containers.delete(id);
    this.#pods.get(container.options.podUid)?.containers.delete(container);
    this.#notify({ podUid: container.options.podUid, type: 'containerRemoved', containerId: id });
  }

  find(id: string): SimulatedContainer | undefined {
    return this.#containers.get(id);
  }

  require(id: string): SimulatedContainer {
    const container = this.find(id);
    if (!container) throw notFound({ what: 'container', id });
    return container;
  }

  findRun(podUid: string, name: string, attempt: number): SimulatedContainer | undefined {
    const { containers = [] } = this.#pods.get(podUid) ?? {};
    return [...containers].find(
      ({ options: { config } }) => config.name === name && config.attempt === attempt,
    );
  }

  /** The newest container of that name, for tests that control it. */
  newest(podUid: string, name: string): SimulatedContainer | undefined {
    const { containers = [] } = this.#pods.get(podUid) ?? {};
    return [...containers].findLast(({ options }) => options.config.name === name);
  }

  /** Simulates a reboot: nothing runs any more, and all records are still there. */
  reboot(): void {
    for (const id of this.#sandboxes.keys()) this.stopSandbox(id);
  }

  #recordOf(podUid: string): PodRecord {
    const known = this.#pods.get(podUid);
    if (known) return known;
    const record: PodRecord = { sandboxes: new Set(), containers: new Set() };
    this.#pods.set(podUid, record);
    return record;
  }

  #inSandbox({ id, config }: Sandbox): readonly SimulatedContainer[] {
    const { containers = [] } = this.#pods.get(config.podUid) ?? {};
    return [...containers].filter(({ options }) => options.sandboxId === id);
  }

  #notify(event: RuntimeEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  #newId(prefix: string): string {
    this.#lastId += 1;
    return `${prefix}-${this.#lastId}`;
  }

  #newAddress(): string {
    if (this.#addresses.size >= ADDRESSES_MAX) {
      throw conflict({ what: 'a sandbox', reason: 'every address is taken' });
    }
    do this.#lastAddress = (this.#lastAddress % ADDRESSES_MAX) + 1;
    while (this.#addresses.has(this.#lastAddress));
    this.#addresses.add(this.#lastAddress);
    const { podNetwork = FIRST_POD_NETWORK } = this.options;
    return `10.${podNetwork}.${this.#lastAddress >> 8}.${this.#lastAddress & 255}`;
  }
}

function numberOf(ip: string): number {
  const [high = 0, low = 0] = ip.split('.').slice(2).map(Number);
  return high * 256 + low;
}

function viewOf({ id, config, ip, isReady }: Sandbox): RuntimeSandbox {
  const { attempt, hostNetwork } = config;
  return {
    id,
    attempt,
    ready: isReady,
    hostNetwork,
    ...(!hostNetwork && { ip: isReady ? ip : '' }),
  };
}

/**
 * Gives each pod an address.
 *
 *     root         a network namespace of its own, joined to a bridge of this runtime by a pair of
 *                  virtual cables; addresses of 10/8
 *     otherwise    the machine's network, and an address of 127/8 that no other pod of this runtime
 *                  has: a program that listens on all addresses answers there too
 *
 * The namespaces are kept alive by files on which they are mounted, not by processes, so they outlive
 * podkeep and cost nothing. Which part of the address space is used follows from the runtime's folder:
 * two podkeeps on one machine do not meet.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import path from 'node:path';
import type { KernelHand } from '../../lib/kernel-hand/kernel-hand.ts';
import type { Log } from '../../ports/log.ts';
import type { SandboxConfig } from '../../ports/runtime/sandbox-config.ts';
import { sandboxNotReady } from './errors.ts';
import { reasonOf } from './json-file.ts';
import { keyOf } from './layout.ts';
import type { Machine } from './machine.ts';
import { namespaceFile, PodNamespaces } from './pod-namespaces.ts';
import type { SandboxNetwork } from './records.ts';

const RUN_FOLDER = '/run/podkeep';
const HOSTS_MAX = 250;
const SUBNETS = 4096;

export interface NetworkOptions {
  readonly machine: Machine;
  /** Who makes system calls for us; absent: programs do. */
  readonly hand: KernelHand | undefined;
  readonly folder: string;
  readonly wish: 'auto' | 'host';
  readonly log: Log;
  readonly announce?: ((address: string) => Promise<void>) | undefined;
}

export class Network {
  readonly #machine: Machine;
  readonly #log: Log;
  readonly #key: string;
  readonly #hasNamespaces: boolean;
  readonly #namespaces: PodNamespaces;
  readonly #used = new Map<string, string>();
  readonly #known = new Set<string>();
  #bridge: Promise<number> | undefined;
  readonly #announce: (address: string) => Promise<void>;
  #announced: Promise<void> | undefined;

  constructor({ machine, hand, folder, wish, log, announce }: NetworkOptions) {
    this.#machine = machine;
    this.#log = log;
    this.#announce = announce ?? (() => Promise.resolve());
    this.#key = keyOf(folder);
    this.#namespaces = new PodNamespaces(machine.tools, hand);
    this.#hasNamespaces =
      wish === 'auto' && machine.isolation === 'root' && machine.tools.ip !== undefined;
  }

  /** Whether what a pod listens on is out of the way of the others. */
  get hasNamespaces(): boolean {
    return this.#hasNamespaces;
  }

  /** An address that is in use already, by a sandbox of an earlier podkeep. */
  adopt(id: string, network: SandboxNetwork): void {
    if (network.kind !== 'host') this.#used.set(network.ip, id);
    if (network.kind === 'namespace') this.#known.add(network.files);
  }

  /** Takes away namespaces that no sandbox knows of: a kill came before its record. */
  async sweep(): Promise<void> {
    const base = path.join(RUN_FOLDER, this.#key);
    const names = this.#hasNamespaces ? await readdir(base).catch(() => []) : [];
    const found = new Set(names.map((name) => path.join(base, path.parse(name).name)));
    const unknown = [...found].filter((files) => !this.#known.has(files));
    await Promise.all(unknown.map((files) => this.#removeNamespaces(files)));
    // Pods of an earlier podkeep are on their way to this machine already.
    if (this.#used.size > 0) await this.#announceHost();
  }

  /** Whether the namespaces of a sandbox are still there. */
  isIntact(network: SandboxNetwork): boolean {
    return network.kind !== 'namespace' || existsSync(namespaceFile(network.files, 'net'));
  }

  async connect(id: string, config: SandboxConfig): Promise<SandboxNetwork> {
    if (config.hostNetwork) return { kind: 'host' };
    await this.#announceHost();
    if (!this.#hasNamespaces) return { kind: 'loopback', ip: this.#takeLoopback(id) };
    const subnet = await this.#subnet();
    const ip = this.#take(id, (host) => `10.${224 + (subnet >> 8)}.${subnet & 255}.${host + 2}`);
    const link = `pk${createHash('sha256').update(id).digest('hex').slice(0, 10)}`;
    const files = path.join(RUN_FOLDER, this.#key, link);
    const network = { kind: 'namespace', ip, files, link } as const;
    this.#known.add(files);
    try {
      const cabled = { gateway: gatewayOf(subnet), bridge: this.#bridgeName };
      await this.#namespaces.make({ ...network, ...cabled }, config);
      return network;
    } catch (error) {
      await this.disconnect(id, network);
      const pod = `${config.namespace}/${config.podName}`;
      throw sandboxNotReady({ pod, reason: `no network: ${reasonOf(error).trim()}` }, error);
    }
  }

  async disconnect(id: string, network: SandboxNetwork): Promise<void> {
    if (network.kind === 'host') return;
    if (this.#used.get(network.ip) === id) this.#used.delete(network.ip);
    if (network.kind === 'namespace') await this.#removeNamespaces(network.files);
  }

  /** The bridge goes when no pod is left that could need it. */
  async close(): Promise<void> {
    await this.#removeBridge();
    this.#namespaces.close();
  }

  async #removeBridge(): Promise<void> {
    if (!this.#hasNamespaces || this.#used.size > 0) return;
    if (!existsSync(`/sys/class/net/${this.#bridgeName}`)) return;
    this.#bridge = undefined;
    await this.#namespaces.ip([`link del ${this.#bridgeName}`]).catch(() => undefined);
    await rm(path.join(RUN_FOLDER, this.#key), { recursive: true, force: true });
  }

  /** What failed is tried again for the next pod: this one cannot start without it. */
  #announceHost(): Promise<void> {
    this.#announced ??= this.#hostAddress()
      .then((address) => this.#announce(address))
      .catch((error: unknown) => {
        this.#announced = undefined;
        throw error;
      });
    return this.#announced;
  }

  /** This machine, as pods see it: nobody else has that address, and it outlives restarts. */
  async #hostAddress(): Promise<string> {
    if (this.#hasNamespaces) return gatewayOf(await this.#subnet());
    return this.#machine.isLinux ? `${this.#loopbackNet(0)}.1` : '127.0.0.1';
  }

  #takeLoopback(id: string): string {
    if (!this.#machine.isLinux) return '127.0.0.1';
    return this.#take(id, (host) => {
      return `${this.#loopbackNet(Math.floor(host / HOSTS_MAX))}.${(host % HOSTS_MAX) + 2}`;
    });
  }

  #loopbackNet(block: number): string {
    const first = 1 + (Number.parseInt(this.#key.slice(0, 2), 16) % 253);
    const second = Number.parseInt(this.#key.slice(2, 4), 16);
    return `127.${first}.${(second + block) % 256}`;
  }

  #take(id: string, addressOf: (host: number) => string): string {
    for (let host = 0; host < HOSTS_MAX * 16; host++) {
      const ip = addressOf(host);
      if (host >= HOSTS_MAX && this.#hasNamespaces) break;
      if (this.#used.has(ip)) continue;
      this.#used.set(ip, id);
      return ip;
    }
    throw sandboxNotReady({ pod: id, reason: 'all addresses are taken' });
  }

  get #bridgeName(): string {
    return `pk-${this.#key}`;
  }

  /** What failed once is tried again for the next pod. */
  #subnet(): Promise<number> {
    this.#bridge ??= this.#makeBridge().catch((error: unknown) => {
      this.#bridge = undefined;
      throw error;
    });
    return this.#bridge;
  }

  /**
   * Returns the subnet, of which there are 4096: that of the bridge if it is there already. A kill may
   * have left one without an address.
   */
  async #makeBridge(): Promise<number> {
    const interfaces = networkInterfaces();
    const own = interfaces[this.#bridgeName]?.find(({ family }) => family === 'IPv4');
    if (own) return subnetOf(own.address);
    const taken = Object.values(interfaces).flatMap((each) => each ?? []);
    let subnet = Number.parseInt(this.#key, 16) % SUBNETS;
    while (taken.some(({ address }) => subnetOf(address) === subnet)) {
      subnet = (subnet + 1) % SUBNETS;
    }
    const gateway = gatewayOf(subnet);
    const isThere = existsSync(`/sys/class/net/${this.#bridgeName}`);
    await this.#namespaces.ip([
      ...(isThere ? [] : [`link add ${this.#bridgeName} type bridge`]),
      // A bridge without pods is not told among the interfaces, and may have this address already.
      `addr replace ${gateway}/24 dev ${this.#bridgeName}`,
      `link set ${this.#bridgeName} up`,
    ]);
    this.#log.info('pods have a network of their own', { bridge: this.#bridgeName, gateway });
    return subnet;
  }

  #removeNamespaces(files: string): Promise<void> {
    this.#known.delete(files);
    return this.#namespaces.remove({ files });
  }
}

function gatewayOf(subnet: number): string {
  return `10.${224 + (subnet >> 8)}.${subnet & 255}.1`;
}

/** Which of our subnets an address is in; -1: none. */
function subnetOf(address: string): number {
  const [a = 0, b = 0, c = 0] = address.split('.').map(Number);
  return a === 10 && b >= 224 && b < 240 ? (b - 224) * 256 + c : -1;
}

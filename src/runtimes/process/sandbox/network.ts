/**
 * Sets up the network of each pod, and gives the pod an address.
 *
 *     root         its own network namespace, joined to a bridge of this runtime by a veth pair;
 *                  addresses of 10/8
 *     otherwise    the machine's network, and an address of 127/8 that no other pod of this runtime
 *                  has: a program that listens on all addresses answers there too
 *
 * The namespaces are mounted on files, which keep them alive without a process, so they outlive podkeep. The
 * subnet is derived from the path of the runtime's folder, so that two podkeep processes on one machine do
 * not collide.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { readdir, rm, rmdir } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import path from 'node:path';
import { address, bridge, deleteLink, linkUp } from '../../../lib/syscall-helper/netlink.ts';
import type { SyscallHelper } from '../../../lib/syscall-helper/syscall-helper.ts';
import { checkOwnFolder } from '../../../lib/trusted-file.ts';
import type { Log } from '../../../ports/log.ts';
import type { SandboxConfig } from '../../../ports/runtime/sandbox-config.ts';
import { sandboxNotReady } from '../errors.ts';
import { reasonOf } from '../json-file.ts';
import { keyOf } from '../layout.ts';
import type { Machine } from '../machine/machine.ts';
import { NeighbourRoutes } from './neighbour-routes.ts';
import { PodNetworks, type NodePodNetwork } from './pod-networks.ts';
import { Masquerade } from './masquerade/masquerade.ts';
import { refuseMasquerade } from './masquerade/requirements.ts';
import {
  firstSubnet,
  gatewayOf,
  LOOPBACK_BLOCKS,
  loopbackNet,
  podAddress,
  subnetOf,
  SUBNETS,
  subnetText,
} from './address-ranges.ts';
import { makeNamespaces, namespaceFile, removeNamespaces } from './pod-namespaces.ts';
import type { SandboxNetwork, SandboxUsers } from '../container/records.ts';
import { IdRanges } from '../machine/users/id-ranges.ts';

const RUN_FOLDER = '/run/podkeep';
const HOSTS_MAX = 250;

export interface NetworkOptions {
  readonly machine: Machine;
  readonly folder: string;
  readonly wish: 'auto' | 'host';
  readonly log: Log;
  readonly announce?: ((address: string) => Promise<void>) | undefined;
  readonly masquerade?: boolean | undefined;
  /** The name servers of the node. */
  readonly resolvers?: readonly string[] | undefined;
  /** Of the other nodes of this process; absent: there are none. */
  readonly podNetworks?: PodNetworks | undefined;
}

/** The namespaces of a pod, and the files that keep them alive. */
export interface PodConnection {
  readonly network: SandboxNetwork;
  /** The prefix of the files on which its namespaces are mounted. */
  readonly files?: string;
  readonly users?: SandboxUsers;
}

const BRIDGE_PREFIX = 24;

export class Network {
  readonly #machine: Machine;
  readonly #log: Log;
  readonly #key: string;
  readonly #hasNamespaces: boolean;
  readonly #helper: SyscallHelper | undefined;
  readonly #ranges: IdRanges;
  readonly #used = new Map<string, string>();
  readonly #known = new Set<string>();
  readonly #ranged = new Set<number>();
  #bridge: Promise<number> | undefined;
  readonly #announce: (address: string) => Promise<void>;
  #announced: Promise<void> | undefined;
  readonly #masquerade: Masquerade | undefined;
  readonly #isMasqueraded: boolean;
  readonly #podNetworks: PodNetworks;
  readonly #routes: NeighbourRoutes | undefined;

  constructor(options: NetworkOptions) {
    const { machine, folder, wish, log, announce, masquerade = false, resolvers = [] } = options;
    this.#machine = machine;
    this.#log = log;
    this.#announce = announce ?? (() => Promise.resolve());
    this.#key = keyOf(folder);
    this.#helper = machine.isolation === 'root' ? machine.helper : undefined;
    this.#ranges = new IdRanges({ key: this.#key });
    this.#hasNamespaces = wish === 'auto' && this.#helper !== undefined;
    this.#isMasqueraded = masquerade;
    const { tools } = machine;
    this.#masquerade = this.#helper
      ? new Masquerade({ key: this.#key, bridge: this.#bridgeName, tools, resolvers, log })
      : undefined;
    this.#podNetworks = options.podNetworks ?? new PodNetworks();
    this.#routes = this.#helper
      ? new NeighbourRoutes({ key: this.#key, bridge: this.#bridgeName, helper: this.#helper })
      : undefined;
  }

  /**
   * Call before the first pod: sets up masquerading, or removes the masquerading that an earlier podkeep has
   * left. Throws MASQUERADE_UNAVAILABLE or MASQUERADE_FAILED.
   */
  async open(): Promise<void> {
    if (this.#isMasqueraded) {
      refuseMasquerade(this.#machine, this.#hasNamespaces);
      await this.#subnet();
    } else {
      await this.#masquerade?.close();
      if (this.#hasNamespaces) {
        this.#log.warn(
          'Pods have no route beyond this machine; start podkeep with --pod-masquerade to allow it',
        );
      }
    }
  }

  /** Whether pods have network namespaces, so that several can listen on the same port. */
  get hasNamespaces(): boolean {
    return this.#hasNamespaces;
  }

  /** Registers the network of a sandbox, also of one that an earlier podkeep process created. */
  adopt(id: string, { network, files, users }: PodConnection): void {
    if (network.kind !== 'host') this.#used.set(network.ip, id);
    if (network.kind === 'namespace') this.#known.add(network.files);
    if (files !== undefined) this.#known.add(files);
    if (users) this.#ranged.add(users.first);
  }

  /** Removes namespaces without a sandbox: podkeep was killed before it wrote the sandbox's record. */
  async sweep(): Promise<void> {
    const base = path.join(RUN_FOLDER, this.#key);
    const names = this.#helper ? await readdir(base).catch(() => []) : [];
    const found = new Set(names.map((name) => path.join(base, path.parse(name).name)));
    const unknown = [...found].filter((files) => !this.#known.has(files));
    await Promise.all(unknown.map((files) => this.#removeNamespaces(files)));
    if (this.#helper) this.#ranges.sweep(this.#ranged);
    // Pods that an earlier podkeep process started may already connect to this machine.
    if (this.#used.size > 0) await this.#announceHost();
  }

  /** Whether the namespaces of a sandbox are still there. */
  isIntact({ network, users }: PodConnection): boolean {
    const hasNetwork =
      network.kind !== 'namespace' || existsSync(namespaceFile(network.files, 'net'));
    return hasNetwork && (users === undefined || existsSync(users.file));
  }

  async connect(id: string, config: SandboxConfig): Promise<PodConnection> {
    if (!config.hostNetwork) await this.#announceHost();
    if (this.#isMasqueraded) await this.#masquerade?.update();
    const link = `pk${createHash('sha256').update(id).digest('hex').slice(0, 10)}`;
    const files = path.join(RUN_FOLDER, this.#key, link);
    const subnet = this.#hasNamespaces && !config.hostNetwork ? await this.#subnet() : undefined;
    const network = this.#networkOf(id, config, subnet, { link, files });
    if (!this.#helper) return { network };
    this.#checkFolders();
    const range = this.#wantsUsers(config) ? this.#ranges.take(config.podUid) : undefined;
    const users = range && { ...range, file: namespaceFile(files, 'user') };
    const connection = { network, files, ...(users && { users }) };
    this.adopt(id, connection);
    try {
      await makeNamespaces(this.#helper, {
        files,
        config,
        users: range,
        network:
          network.kind === 'namespace' && subnet !== undefined
            ? { link, ip: network.ip, gateway: gatewayOf(subnet), bridge: this.#bridgeName }
            : undefined,
      });
      return connection;
    } catch (error) {
      await this.disconnect(id, connection);
      const pod = `${config.namespace}/${config.podName}`;
      throw sandboxNotReady({ pod, reason: `no namespaces: ${reasonOf(error).trim()}` }, error);
    }
  }

  /** A user who could write into these folders could choose the namespaces of pods. */
  #checkFolders(): void {
    const own = path.join(RUN_FOLDER, this.#key);
    mkdirSync(own, { recursive: true, mode: 0o755 });
    checkOwnFolder(RUN_FOLDER);
    checkOwnFolder(own);
  }

  #networkOf(
    id: string,
    config: SandboxConfig,
    subnet: number | undefined,
    names: { readonly link: string; readonly files: string },
  ): SandboxNetwork {
    if (config.hostNetwork) return { kind: 'host' };
    if (subnet === undefined) return { kind: 'loopback', ip: this.#takeLoopback(id) };
    const ip = this.#take(id, (host) => podAddress(subnet, host));
    return { kind: 'namespace', ip, ...names };
  }

  /**
   * A pod that shares a namespace with the machine keeps the machine's users, because they own that
   * namespace.
   */
  #wantsUsers({ hostNetwork, hostPid, hostIpc, hostUsers }: SandboxConfig): boolean {
    const sharesMachine = hostNetwork || hostPid || hostIpc || hostUsers === true;
    return this.#machine.mapsUsers && !sharesMachine;
  }

  async disconnect(id: string, { network, files, users }: PodConnection): Promise<void> {
    if (network.kind !== 'host' && this.#used.get(network.ip) === id) this.#used.delete(network.ip);
    const ofNetwork = network.kind === 'namespace' ? network.files : undefined;
    for (const each of new Set([files, ofNetwork])) {
      if (each !== undefined) await this.#removeNamespaces(each);
    }
    if (!users) return;
    this.#ranged.delete(users.first);
    this.#ranges.release(users);
  }

  /** Removes the bridge if no pod is left. */
  async close(): Promise<void> {
    await this.#removeBridge();
    // Removes the folder if it is empty: pods may still have namespaces in it, even without a bridge.
    if (this.#helper) await rmdir(path.join(RUN_FOLDER, this.#key)).catch(() => undefined);
  }

  async #removeBridge(): Promise<void> {
    if (!this.#hasNamespaces) return;
    this.#podNetworks.leave(this.#bridgeName);
    if (this.#used.size > 0) return;
    await this.#routes?.end();
    await this.#masquerade?.close();
    if (!existsSync(`/sys/class/net/${this.#bridgeName}`)) return;
    this.#bridge = undefined;
    await this.#helper
      ?.perform([['netlink', 'machine'], deleteLink('machine', this.#bridgeName)])
      .catch(() => undefined);
    await rm(path.join(RUN_FOLDER, this.#key), { recursive: true, force: true });
  }

  /** A failure fails this pod; the next pod retries. */
  #announceHost(): Promise<void> {
    this.#announced ??= this.#hostAddress()
      .then((address) => this.#announce(address))
      .catch((error: unknown) => {
        this.#announced = undefined;
        throw error;
      });
    return this.#announced;
  }

  /** The address under which pods reach this machine. No other host has it, and it survives restarts. */
  async #hostAddress(): Promise<string> {
    if (this.#hasNamespaces) return gatewayOf(await this.#subnet());
    return this.#machine.isLinux ? `${loopbackNet(this.#key, 0)}.1` : '127.0.0.1';
  }

  #takeLoopback(id: string): string {
    if (!this.#machine.isLinux) return '127.0.0.1';
    return this.#take(id, (host) => {
      return `${loopbackNet(this.#key, Math.floor(host / HOSTS_MAX))}.${(host % HOSTS_MAX) + 2}`;
    });
  }

  #take(id: string, addressOf: (host: number) => string): string {
    for (let host = 0; host < HOSTS_MAX * LOOPBACK_BLOCKS; host++) {
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

  /** The subnet of the bridge, which is created on first use. After a failure the next pod retries. */
  #subnet(): Promise<number> {
    this.#bridge ??= this.#openBridge().catch((error: unknown) => {
      this.#bridge = undefined;
      throw error;
    });
    return this.#bridge;
  }

  async #openBridge(): Promise<number> {
    const subnet = await this.#makeBridge();
    if (this.#isMasqueraded) {
      await this.#routes?.remove();
      await this.#masquerade?.open(subnetText(subnet));
    }
    await this.#podNetworks.join({
      bridge: this.#bridgeName,
      subnet: subnetText(subnet),
      connect: (others) => this.#connectTo(others),
    });
    return subnet;
  }

  /** Pods without a way to other nodes run all the same. */
  async #connectTo(others: readonly NodePodNetwork[]): Promise<void> {
    try {
      // With masquerading, packets between nodes take the way of all others.
      if (this.#isMasqueraded) {
        await this.#masquerade?.setNeighbours(others.map(({ bridge }) => bridge));
      } else await this.#routes?.update(others);
    } catch (error) {
      const { length: nodes } = others;
      this.#log.error('pods do not reach those of the other nodes', { nodes, error });
    }
  }

  /**
   * Creates the bridge and returns the number of its subnet (0 to 4095), or returns that of an existing
   * bridge. A kill may have left a bridge without an address.
   */
  async #makeBridge(): Promise<number> {
    const interfaces = networkInterfaces();
    const own = interfaces[this.#bridgeName]?.find(({ family }) => family === 'IPv4');
    if (own) return subnetOf(own.address);
    const taken = Object.values(interfaces).flatMap((each) => each ?? []);
    let subnet = firstSubnet(this.#key);
    while (taken.some(({ address }) => subnetOf(address) === subnet)) {
      subnet = (subnet + 1) % SUBNETS;
    }
    const gateway = gatewayOf(subnet);
    const isThere = existsSync(`/sys/class/net/${this.#bridgeName}`);
    const name = this.#bridgeName;
    await this.#helper?.perform([
      ['netlink', 'machine'],
      ...(isThere ? [] : [bridge('machine', name, gateway)]),
      // Node.js does not list a bridge that has no pods, so the bridge may have this address already.
      address('machine', name, gateway, BRIDGE_PREFIX),
      linkUp('machine', name),
    ]);
    this.#log.info('Pod network is up', { bridge: this.#bridgeName, gateway });
    return subnet;
  }

  async #removeNamespaces(files: string): Promise<void> {
    this.#known.delete(files);
    if (this.#helper) await removeNamespaces(this.#helper, files);
  }
}

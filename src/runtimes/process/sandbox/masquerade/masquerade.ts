/**
 * Sets up masquerading (--pod-masquerade): pods with a network namespace reach other networks, with the
 * machine's addresses as their source addresses.
 *
 * Rules and forwarding are set up with the bridge, and removed with it. Notes on disk (forwarding.ts) show
 * what a killed podkeep has left behind: the next start with the same data folder replaces it, or removes it
 * if masquerading is off by then.
 *
 * The program `nft` loads the rules: one transaction replaces podkeep's whole table, an operator can read it
 * with `nft list table`, and other firewalls are not touched. With `iptables` podkeep would have to edit
 * single rules in chains that belong to the machine's own firewall.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Log } from '../../../../ports/log.ts';
import { masqueradeFailed } from '../../errors.ts';
import { codeOf, reasonOf } from '../../json-file.ts';
import type { Tools } from '../../machine/machine.ts';
import { Forwarding } from './forwarding.ts';
import { BRIDGE_NAMES, removalText, ruleText } from './nft-rules.ts';
import { foreignDrops } from './other-firewalls.ts';
import { routedInterfaces } from './route-table.ts';

export interface MasqueradeOptions {
  /** Distinguishes this runtime from others of the machine. */
  readonly key: string;
  readonly bridge: string;
  readonly tools: Tools;
  /** The name servers of the node. */
  readonly resolvers: readonly string[];
  readonly log: Log;
}

const ROUTES = '/proc/net/route';

export class Masquerade {
  readonly #options: MasqueradeOptions;
  readonly #forwarding: Forwarding;
  readonly #table: string;
  #subnet: string | undefined;
  #routed = '';
  #updating: Promise<void> = Promise.resolve();
  #neighbours: readonly string[] = [];

  constructor(options: MasqueradeOptions) {
    this.#options = options;
    this.#forwarding = new Forwarding({ key: options.key });
    this.#table = `podkeep_${options.key}`;
  }

  /** Whether masquerading is on, or a killed podkeep has left it on. */
  get isLeft(): boolean {
    return this.#forwarding.held.length > 0;
  }

  /** `subnet`: the subnet of the pods. Throws MASQUERADE_FAILED. */
  async open(subnet: string): Promise<void> {
    const { bridge, log } = this.#options;
    this.#subnet = subnet;
    await this.update();
    const interfaces = this.#forwarding.held.filter((name) => name !== bridge);
    log.info('Masquerading is on: pods can reach other networks', {
      bridge,
      subnet,
      table: this.#table,
      forwarding: interfaces,
    });
    for (const chain of foreignDrops(await this.#nft(['-j', 'list', 'chains']))) {
      const hint = `if pods cannot reach other networks, accept interface ${bridge} in that chain`;
      log.warn(`Another nftables chain drops forwarded packets; ${hint}`, { chain });
    }
  }

  /** Adapts to new and removed interfaces: those with a route are set to forward. */
  update(): Promise<void> {
    this.#updating = this.#updating.catch(() => undefined).then(() => this.#apply());
    return this.#updating;
  }

  /** The bridges of the other nodes of this podkeep: their pods come and go without masquerading. */
  setNeighbours(bridges: readonly string[]): Promise<void> {
    this.#neighbours = bridges;
    return this.update();
  }

  async #apply(): Promise<void> {
    const { bridge, resolvers } = this.#options;
    const routed = routedInterfaces(readRoutes(), BRIDGE_NAMES);
    const neighbours = this.#neighbours;
    const fingerprint = [...routed, ...neighbours].join(' ');
    if (this.#subnet === undefined || (fingerprint === this.#routed && this.isLeft)) return;
    const names = [bridge, ...routed];
    const gone = this.#forwarding.held.filter((name) => !names.includes(name));
    try {
      for (const name of names) this.#forwarding.hold(name);
      const opened = routed.filter((name) => this.#forwarding.isOpened(name));
      const rules = { table: this.#table, bridge, subnet: this.#subnet, opened, neighbours };
      // The rules come first: no interface forwards a packet without them.
      await this.#nft(
        ['-f', '-'],
        ruleText({ ...rules, resolvers: resolvers.filter(isLinkLocal) }),
      );
      for (const name of names) this.#forwarding.open(name);
      for (const name of gone) this.#forwarding.release(name);
      this.#routed = fingerprint;
    } catch (error) {
      throw masqueradeFailed({ reason: reasonOf(error).trim() }, error);
    }
  }

  /** Removes rules and forwarding, including those that a killed podkeep has left. */
  async close(): Promise<void> {
    if (!this.isLeft) return;
    this.#subnet = undefined;
    await this.#updating.catch(() => undefined);
    // The rules are removed last, so that they are in force while an interface forwards.
    for (const name of this.#forwarding.held) this.#forwarding.release(name);
    this.#routed = '';
    try {
      await this.#nft(['-f', '-'], removalText(this.#table));
    } catch (error) {
      const remedy = `nft delete table inet ${this.#table}`;
      this.#options.log.warn('Failed to remove the masquerading rules', { error, remedy });
    }
  }

  #nft(args: readonly string[], input = ''): Promise<string> {
    const { nft } = this.#options.tools;
    if (nft === undefined) return Promise.reject(new Error('there is no program nft'));
    return new Promise((resolve, reject) => {
      const child = execFile(nft, args, (error, stdout, stderr) => {
        if (error) reject(new Error(`nft: ${stderr.trim() || error.message}`, { cause: error }));
        else resolve(stdout);
      });
      child.stdin?.on('error', () => undefined); // an nft that ends early reports the reason itself
      child.stdin?.end(input);
    });
  }
}

function isLinkLocal(ip: string): boolean {
  return /^169\.254\.\d+\.\d+$/.test(ip);
}

function readRoutes(): string {
  try {
    return readFileSync(ROUTES, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return '';
    throw error;
  }
}

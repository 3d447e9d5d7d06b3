/**
 * Lets pods with their own network reach other networks, if the operator asked for it.
 *
 * It is created with the bridge and removed with it. What a killed podkeep has left is known by its notes
 * (forwarding.ts): the next start over the same folder replaces it, or removes it if masquerading was
 * switched off since.
 *
 * The program `nft` gives the rules to the kernel: one transaction replaces the whole table, an operator
 * reads the same text with `nft list table`, and other firewalls are not touched. `iptables` would have to be
 * edited rule by rule, in chains that belong to the machine's own firewall.
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

  constructor(options: MasqueradeOptions) {
    this.#options = options;
    this.#forwarding = new Forwarding({ key: options.key });
    this.#table = `podkeep_${options.key}`;
  }

  /** Whether it is on, or a killed podkeep has left it on. */
  get isLeft(): boolean {
    return this.#forwarding.held.length > 0;
  }

  /** `subnet`: of the pods. Throws MASQUERADE_FAILED. */
  async open(subnet: string): Promise<void> {
    const { bridge, log } = this.#options;
    this.#subnet = subnet;
    await this.update();
    const interfaces = this.#forwarding.held.filter((name) => name !== bridge);
    log.info('masquerading is on: pods reach other networks', {
      bridge,
      subnet,
      table: this.#table,
      forwarding: interfaces,
    });
    for (const chain of foreignDrops(await this.#nft(['-j', 'list', 'chains']))) {
      const hint = `if pods cannot reach other networks, accept interface ${bridge} in that chain`;
      log.warn(`another nftables chain drops forwarded packets; ${hint}`, { chain });
    }
  }

  /** Interfaces come and go: those that lead out of the machine now are set to forward. */
  update(): Promise<void> {
    this.#updating = this.#updating.catch(() => undefined).then(() => this.#apply());
    return this.#updating;
  }

  async #apply(): Promise<void> {
    const { bridge, resolvers } = this.#options;
    const routed = routedInterfaces(readRoutes(), BRIDGE_NAMES);
    const fingerprint = routed.join(' ');
    if (this.#subnet === undefined || (fingerprint === this.#routed && this.isLeft)) return;
    const names = [bridge, ...routed];
    const gone = this.#forwarding.held.filter((name) => !names.includes(name));
    try {
      for (const name of names) this.#forwarding.hold(name);
      const opened = routed.filter((name) => this.#forwarding.isOpened(name));
      const rules = { table: this.#table, bridge, subnet: this.#subnet, opened };
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

  /** Also removes what a killed podkeep has left. */
  async close(): Promise<void> {
    if (!this.isLeft) return;
    this.#subnet = undefined;
    await this.#updating.catch(() => undefined);
    // In the opposite order: while an interface forwards, the rules are in force.
    for (const name of this.#forwarding.held) this.#forwarding.release(name);
    this.#routed = '';
    try {
      await this.#nft(['-f', '-'], removalText(this.#table));
    } catch (error) {
      const remedy = `nft delete table inet ${this.#table}`;
      this.#options.log.warn('failed to remove the masquerading rules', { error, remedy });
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

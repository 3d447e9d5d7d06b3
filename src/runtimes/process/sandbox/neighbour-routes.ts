/**
 * Lets packets pass from the bridge of this runtime to the bridges of the other nodes, and nowhere else.
 *
 *     ip rule      iif pk-KEY lookup TABLE     what comes from the bridge is routed by TABLE alone
 *     TABLE        10.231.31.0/24 dev pk-…     a route for each other node
 *                  unreachable default         pods have no way beyond this machine
 *     sysctl       conf/pk-KEY/forwarding = 1  only then does the kernel forward what comes from it
 *
 * 1. The bridge forwards only while rule and table are there.
 * 2. Without another node, none of this is set up.
 *
 * When podkeep is killed, all of this stays, as its pods do. The next podkeep learns of it from a note that
 * podkeep wrote before.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { SystemCall } from '../../../lib/syscall-helper/calls.ts';
import {
  deleteRoute,
  deleteRule,
  subnetRoute,
  tableRule,
  unreachableRoute,
} from '../../../lib/syscall-helper/netlink.ts';
import type { SyscallHelper } from '../../../lib/syscall-helper/syscall-helper.ts';
import type { NodePodNetwork } from './pod-networks.ts';

export interface NeighbourRoutesOptions {
  /** Distinguishes this runtime from others of the machine. */
  readonly key: string;
  readonly bridge: string;
  readonly helper: Pick<SyscallHelper, 'perform'>;
  /** Where the notes are; in memory, as the routes are. */
  readonly folder?: string;
  /** The kernel's folder of interface settings. */
  readonly settings?: string;
}

const FOLDER = '/run/podkeep/routes';
const SETTINGS = '/proc/sys/net/ipv4/conf';
const SOCKET = 'machine';
/** Numbers below belong to the machine's own tables. */
const TABLE_MIN = 0x1000_0000;

export class NeighbourRoutes {
  readonly #options: NeighbourRoutesOptions;
  readonly #table: number;
  readonly #settings: string;
  readonly #note: string;
  #others: readonly NodePodNetwork[] = [];
  #isEnded = false;

  constructor(options: NeighbourRoutesOptions) {
    this.#options = options;
    this.#settings = options.settings ?? SETTINGS;
    this.#table = (Number.parseInt(options.key, 16) % TABLE_MIN) + TABLE_MIN;
    this.#note = path.join(options.folder ?? FOLDER, options.key);
  }

  /** The others, from now on; none: everything is removed. One call at a time. */
  async update(others: readonly NodePodNetwork[]): Promise<void> {
    if (this.#isEnded) return;
    if (others.length === 0) return this.remove();
    const { bridge, helper } = this.#options;
    const table = this.#table;
    const gone = this.#others.filter(({ subnet }) => others.every((one) => one.subnet !== subnet));
    mkdirSync(path.dirname(this.#note), { recursive: true, mode: 0o700 });
    writeFileSync(this.#note, '');
    this.#others = others;
    // Without its rule the bridge must not forward, not even for a moment or after a failure.
    this.#forward('0');
    await helper.perform([
      ['netlink', SOCKET],
      unreachableRoute(SOCKET, table),
      // Of a killed podkeep, or of the last update: the same rule twice would be one too many later.
      optional(deleteRule(SOCKET, bridge, table)),
      tableRule(SOCKET, bridge, table),
      ...gone.map(({ subnet }) => optional(deleteRoute(SOCKET, table, subnet))),
      ...others.map((one) => subnetRoute(SOCKET, table, one.subnet, one.bridge)),
    ]);
    this.#forward('1');
  }

  /** Also removes what a killed podkeep has left. */
  async remove(): Promise<void> {
    if (!existsSync(this.#note)) return;
    const { bridge, helper } = this.#options;
    // As the machine has it for new interfaces.
    this.#forward(readFileSync(this.#file('default'), 'utf8').trim());
    await helper.perform([
      ['netlink', SOCKET],
      optional(deleteRule(SOCKET, bridge, this.#table)),
      ...this.#others.map(({ subnet }) => optional(deleteRoute(SOCKET, this.#table, subnet))),
      optional(deleteRoute(SOCKET, this.#table, null)),
    ]);
    this.#others = [];
    rmSync(this.#note, { force: true });
    removeIfEmpty(path.dirname(this.#note));
  }

  /** The bridge is about to be removed, and nothing is set up any more. */
  async end(): Promise<void> {
    this.#isEnded = true;
    await this.remove();
  }

  /** A bridge that is gone has no settings. */
  #forward(value: string): void {
    const file = this.#file(this.#options.bridge);
    if (existsSync(file)) writeFileSync(file, value);
  }

  #file(name: string): string {
    return path.join(this.#settings, name, 'forwarding');
  }
}

function removeIfEmpty(folder: string): void {
  if (readdirSync(folder).length === 0) rmSync(folder, { recursive: true, force: true });
}

/** It may fail. */
function optional([name, ...args]: SystemCall): SystemCall {
  return [`?${name}`, ...args];
}

/**
 * Makes and removes the namespaces of a pod that has a network of its own: network, host name, and what
 * processes share. Files on which they are mounted keep them alive.
 *
 *     in the pod: eth0 ──cable── link, on the bridge of this runtime: on the machine
 *
 * By a hand where there is one, otherwise by unshare(1) and ip(8).
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { CommandShell } from '../../lib/command-shell.ts';
import { mountCalls, NAMESPACE, type KernelCall } from '../../lib/kernel-hand/kernel-calls.ts';
import type { KernelHand } from '../../lib/kernel-hand/kernel-hand.ts';
import { address, cable, defaultRoute, linkUp } from '../../lib/kernel-hand/netlink.ts';
import type { SandboxConfig } from '../../ports/runtime/sandbox-config.ts';
import type { Tools } from './machine.ts';
import { quoteWord, quoteWords } from './shell-words.ts';

export interface PodNetwork {
  /** How the files begin. */
  readonly files: string;
  /** The end of the cable that is on the machine. */
  readonly link: string;
  readonly ip: string;
  readonly gateway: string;
  readonly bridge: string;
}

const KINDS = ['net', 'uts', 'ipc'] as const;
const PREFIX = 24;
const HOSTNAME_FILE = '/proc/sys/kernel/hostname';

/** The file on which a namespace is mounted. */
export function namespaceFile(files: string, kind: (typeof KINDS)[number]): string {
  return `${files}.${kind}`;
}

export class PodNamespaces {
  readonly #tools: Tools;
  readonly #hand: KernelHand | undefined;
  readonly #shell: CommandShell;

  constructor(tools: Tools, hand: KernelHand | undefined) {
    this.#tools = tools;
    this.#hand = hand;
    this.#shell = new CommandShell(tools.sh);
  }

  async make(network: PodNetwork, config: SandboxConfig): Promise<void> {
    const { files } = network;
    mkdirSync(path.dirname(files), { recursive: true, mode: 0o700 });
    if (this.#hand) return this.#hand.performApart(makingCalls(network, config));
    for (const kind of KINDS) writeFileSync(namespaceFile(files, kind), '');
    await this.#shell.perform(this.#makingScript(network, config));
  }

  async remove(network: Pick<PodNetwork, 'files'>): Promise<void> {
    const files = KINDS.map((kind) => namespaceFile(network.files, kind));
    // Not mounted, or not there any more: both are what we want.
    if (this.#hand) return this.#hand.perform(removingCalls(files));
    await this.#shell.run([this.#tools.umount ?? 'umount', ...files]).catch(() => undefined);
    for (const file of files) rmSync(file, { force: true });
  }

  /** Orders to ip(8), on the machine. */
  ip(orders: readonly string[]): Promise<void> {
    return this.#shell.perform(this.#ipBatch(orders));
  }

  close(): void {
    this.#shell.close();
  }

  #makingScript(network: PodNetwork, config: SandboxConfig): string {
    const { files, link, ip, gateway, bridge } = network;
    const { unshare = 'unshare', ip: tool = 'ip', sh = 'sh' } = this.#tools;
    const options = KINDS.map((kind) => `--${kind}=${namespaceFile(files, kind)}`);
    // The cable is laid from the inside; its other end comes out where podkeep is.
    const orders = [
      `link add eth0 type veth peer name ${link} netns ${process.pid}`,
      'link set lo up',
      `addr add ${ip}/${PREFIX} dev eth0`,
      'link set eth0 up',
      `route add default via ${gateway}`,
    ];
    const lines = settings(config).map(
      ([file, value]) => `echo ${quoteWord(value)} >${quoteWord(file)}`,
    );
    const script = [...lines, `exec ${quoteWord(tool)} -batch -`].join(' &&\n');
    const inside = feed([unshare, ...options, '--', sh, '-c', script], orders);
    const outside = [`link set ${link} master ${bridge}`, `link set ${link} up`];
    return `${inside} && ${this.#ipBatch(outside)}`;
  }

  #ipBatch(orders: readonly string[]): string {
    return feed([this.#tools.ip ?? 'ip', '-batch', '-'], orders);
  }
}

function makingCalls(network: PodNetwork, config: SandboxConfig): readonly KernelCall[] {
  const { files, link, ip, gateway, bridge } = network;
  const bind = { type: 'none', options: ['bind'] };
  return [
    ['netlink', 'machine'],
    ['unshare', NAMESPACE.net | NAMESPACE.uts | NAMESPACE.ipc],
    ...KINDS.flatMap((kind): readonly KernelCall[] => {
      const target = namespaceFile(files, kind);
      return [
        ['file', target],
        ...mountCalls({ source: `/proc/self/ns/${kind}`, target, ...bind }),
      ];
    }),
    ['netlink', 'pod'],
    cable('pod', 'eth0', link, process.pid),
    linkUp('machine', link, indexOf(bridge)),
    linkUp('pod', 'lo'),
    address('pod', 'eth0', ip, PREFIX),
    defaultRoute('pod', gateway),
    ...settings(config).map(([file, value]): KernelCall => ['write', file, value]),
  ];
}

function removingCalls(files: readonly string[]): readonly KernelCall[] {
  return files.flatMap((file): readonly KernelCall[] => [
    ['?unmount', file, 0],
    ['?unlink', file],
  ]);
}

/** The number by which the kernel knows an interface of this machine. */
function indexOf(name: string): number {
  return Number(readFileSync(`/sys/class/net/${name}/ifindex`, 'utf8'));
}

/** Written inside the new namespaces. Programs that are not root may listen on any port there. */
function settings({
  hostname,
  sysctls,
}: SandboxConfig): readonly (readonly [file: string, value: string])[] {
  const values = { 'net.ipv4.ip_unprivileged_port_start': '0', ...sysctls };
  const files = Object.entries(values)
    .map(([name, value]) => [`/proc/sys/${name.replaceAll('.', '/')}`, value] as const)
    .filter(([file]) => /^[a-z0-9_./-]+$/i.test(file) && !file.includes('..'));
  return [[HOSTNAME_FILE, hostname || 'localhost'], ...files];
}

/** Runs a program that reads its orders. */
function feed(words: readonly string[], orders: readonly string[]): string {
  return `printf '%s\\n' ${quoteWords(orders)} | ${quoteWords(words)}`;
}

/**
 * A machine with a network behind it, made of two network namespaces:
 *
 *     lab machine  192.0.2.1 ──veth── 192.0.2.2, 169.254.169.254 (metadata)  lab outside
 *
 * Nothing of it touches the network of the machine that runs the tests. Everything ends with the test.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { once } from 'node:events';
import path from 'node:path';
import { onTestFinished } from 'vitest';

export const OUTSIDE = '192.0.2.2';
export const MACHINE = '192.0.2.1';
export const METADATA = '169.254.169.254';

/** Greets each client with its address. */
const SERVER = `require('node:net').createServer((c) => c.on('error', () => {}).end('hello ' + c.remoteAddress.replace('::ffff:', '') + '\\n'))
  .listen(Number(process.argv[1]), process.argv[2], () => console.log('listening'));`;

/** Why the lab cannot be set up here; undefined: it can. */
export function labObstacle(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root on Linux may';
  const missing = ['ip', 'nft'].filter(
    (name) => !['/usr/sbin', '/sbin', '/usr/bin'].some((folder) => existsSync(`${folder}/${name}`)),
  );
  return missing.length > 0 ? `this machine has no ${missing.join(' and no ')}` : undefined;
}

export class NetworkLab {
  readonly #machine: string;
  readonly #outside: string;

  constructor() {
    this.#machine = `pk-lab-m-${process.pid}`;
    this.#outside = `pk-lab-o-${process.pid}`;
    onTestFinished(() => this.#remove());
    for (const name of [this.#machine, this.#outside]) {
      ip('netns', 'add', name);
      ip('-n', name, 'link', 'set', 'lo', 'up');
    }
    ip(
      ...`link add up0 netns ${this.#machine} type veth peer name out0 netns ${this.#outside}`.split(
        ' ',
      ),
    );
    this.#ipIn(this.#machine, `addr add ${MACHINE}/24 dev up0`);
    this.#ipIn(this.#outside, `addr add ${OUTSIDE}/24 dev out0`);
    this.#ipIn(this.#outside, `addr add ${METADATA}/32 dev out0`);
    this.#ipIn(this.#machine, 'link set up0 up');
    this.#ipIn(this.#outside, 'link set out0 up');
    this.#ipIn(this.#machine, `route add default via ${OUTSIDE}`);
    this.run('sh', '-c', 'echo 0 > /proc/sys/net/ipv4/ip_forward');
  }

  /** The prefix of a command that is to run on the lab's machine. */
  get launcher(): readonly string[] {
    return ['ip', 'netns', 'exec', this.#machine];
  }

  /** On the lab's machine. */
  run(...command: readonly string[]): string {
    const [first = '', ...rest] = [...this.launcher, ...command];
    return execFileSync(first, rest, { encoding: 'utf8' });
  }

  async serve(where: 'machine' | 'outside', port: number, address: string): Promise<void> {
    const namespace = where === 'machine' ? this.#machine : this.#outside;
    const server = ['node', '-e', SERVER, String(port), address];
    const child = spawn('ip', ['netns', 'exec', namespace, ...server], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout, 'data');
  }

  /** Counts the packets that arrive outside with this source. */
  watchOutside(source: string): void {
    const chain = 'type filter hook prerouting priority 0; policy accept;';
    const rules = `table ip watch { chain seen { ${chain} ip saddr ${source} counter; }; }`;
    execFileSync('ip', ['netns', 'exec', this.#outside, 'nft', rules]);
  }

  /** How many have arrived. */
  seenOutside(): number {
    const args = ['netns', 'exec', this.#outside, 'nft', 'list', 'table', 'ip', 'watch'];
    const text = execFileSync('ip', args, { encoding: 'utf8' });
    return Number(/packets (\d+)/.exec(text)?.[1]);
  }

  /** All packet settings that podkeep may change and has to restore. */
  settings(): string {
    const forwarding =
      'cat /proc/sys/net/ipv4/ip_forward; cd /proc/sys/net/ipv4/conf; grep . */forwarding';
    return `${this.run('nft', 'list', 'ruleset')}${this.run('sh', '-c', forwarding)}`;
  }

  #ipIn(namespace: string, words: string): void {
    ip('-n', namespace, ...words.split(' '));
  }

  #remove(): void {
    for (const name of [this.#machine, this.#outside]) {
      if (existsSync(path.join('/run/netns', name))) ip('netns', 'delete', name);
    }
  }
}

/** The output of a pod's containers, below the node's folder of logs. */
export function logsBelow(folder: string): string {
  if (!existsSync(folder)) return '';
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  return files
    .filter((file) => file.isFile() && file.name.endsWith('.log'))
    .map((file) => readFileSync(path.join(file.parentPath, file.name), 'utf8'))
    .join('');
}

function ip(...words: readonly string[]): void {
  execFileSync('ip', words, { stdio: ['ignore', 'ignore', 'pipe'] });
}

/**
 * The podkeep under attack: one `podkeep up` with its own data folder, the client of its API, and what
 * attackers can find around it.
 */
import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { JsonObject } from '../../../src/lib/json.ts';
import { Api } from '../../e2e/support/api.ts';
import { Daemon } from '../../e2e/support/daemon.ts';
import { readAccess } from '../../e2e/support/kubeconfig.ts';
import { waitFor } from '../../e2e/support/patience.ts';
import type { PodView } from '../../e2e/support/pod-view.ts';
import type { TrustedAccount } from './account.ts';
import { Bystanders } from './bystanders.ts';
import { Canaries } from './canaries.ts';
import { read } from './container-processes.ts';
import { execInPod, type ExecOutput, type ExecRequest } from './exec.ts';
import { MachineState } from './settings.ts';
import type { Mode } from './types.ts';
import { makeFolder, removeFolder } from './work-folder.ts';

export interface TargetOptions {
  readonly mode: Mode;
  readonly account: TrustedAccount;
  /** The checkout whose bin/podkeep is started. */
  readonly checkout: string;
  /** Images of attackers: what `images` of the PodkeepConfiguration says. */
  readonly images: (folder: string, canaries: Canaries) => JsonObject;
  readonly update: boolean;
  /** Absent: containers are processes of the machine. */
  readonly containerd?: AttackedContainerd | undefined;
}

/** What the target needs of a containerd. */
export interface AttackedContainerd {
  readonly endpoint: string;
  /** The control group below which its pods are. */
  readonly cgroupRoot: string;
}

export interface EventView {
  readonly reason: string;
  readonly message: string;
  readonly count?: number;
  readonly involvedObject: { readonly name: string };
}

export const POD_PIDS_LIMIT = 256;
export const LOG_BYTES_MAX = 1024 * 1024;
export const LOG_FILES_MAX = 2;
/** Becomes a program that has a session keyring with a key in it, as a logged-in user has. */
const WITH_KEY = `
  my ($add, $control) = (${process.arch === 'arm64' ? '217, 219' : '248, 250'});
  my ($session, $type, $name, $key) = ('podkeep-attack', 'user', 'podkeep-attack', delete $ENV{KEY});
  syscall($control, 1, $session);
  syscall($add, $type, $name, $key, length $key, -3);
  exec @ARGV;`;
/** Beyond the PIDs that the kernel assigns. */
const NO_PROCESS = 4_194_305;
const PODS = '/api/v1/namespaces/default/pods';
const START_MS = 60_000;
const STOP_MS = 60_000;

export class Target {
  readonly mode: Mode;
  readonly account: TrustedAccount;
  readonly canaries: Canaries;
  readonly machine = new MachineState();
  readonly bystanders: Bystanders;
  readonly folder: string;
  readonly update: boolean;
  readonly #checkout: string;
  readonly #images: JsonObject;
  readonly #containerd: AttackedContainerd | undefined;
  readonly #once = new Map<string, Promise<unknown>>();
  #daemon: Daemon | undefined;
  #client: Api | undefined;
  readonly #cleanups: (() => void)[] = [];
  #podCount = 0;
  #startCount = 0;
  #pid = NO_PROCESS;

  constructor({ mode, account, checkout, images, update, containerd }: TargetOptions) {
    this.mode = mode;
    this.account = account;
    this.update = update;
    this.canaries = new Canaries(account);
    this.bystanders = new Bystanders(account, this.canaries);
    this.folder = makeFolder(mode);
    this.#checkout = checkout;
    this.#containerd = containerd;
    this.#give(this.folder);
    this.#images = containerd ? {} : images(this.folder, this.canaries);
    this.#giveAll(this.folder);
  }

  get isRoot(): boolean {
    return this.account.uid === 0;
  }

  /** A podkeep that an attack has ended is followed by one with a new data folder. */
  get data(): string {
    return path.join(this.folder, 'data', String(this.#startCount));
  }

  get tail(): string {
    return this.#daemon?.tail ?? '';
  }

  get api(): Api {
    if (!this.#client) throw new Error('podkeep is not up');
    return this.#client;
  }

  get kubeconfig(): string {
    return path.join(this.data, 'kubeconfig');
  }

  /** Whether podkeep still serves its API. */
  async answers(): Promise<boolean> {
    const ask = async (): Promise<true | undefined> =>
      (await this.api.get('/readyz')).code === 200 ? true : undefined;
    return waitFor({ what: 'podkeep', deadlineMs: 3000 }, ask).catch(() => false);
  }

  /** After its end. Attacks create the objects in its API again. */
  async restart(): Promise<void> {
    this.#client?.close();
    await this.#daemon?.stop('SIGKILL');
    for (const key of this.#once.keys()) {
      if (/^(?:battery|planted)/.test(key)) this.#once.delete(key);
    }
    this.#startCount += 1;
    await this.start();
  }

  async start(): Promise<void> {
    mkdirSync(path.dirname(this.data), { recursive: true });
    this.#give(path.dirname(this.data));
    const config = path.join(this.folder, 'config.yaml');
    writeFileSync(config, this.#config());
    this.#give(config);
    const program = [process.execPath, path.join(this.#checkout, 'bin/podkeep')];
    const words = ['up', '--data-dir', this.data, '--port', '0', '--name', 'node-1'];
    const [command = '', ...args] = [
      ...this.account.prefix,
      ...['perl', '-e', WITH_KEY],
      ...program,
      ...words,
      ...['--output', 'json', '--config', config],
      ...(this.#containerd ? ['--runtime', this.#containerd.endpoint] : []),
    ];
    const sessionKey = this.canaries.value('a key of the session in which podkeep runs');
    const env = { HOME: this.folder, KEY: sessionKey };
    const name = `podkeep-${this.#startCount}`;
    const daemon = new Daemon({ name, command, args, folder: this.folder, env });
    this.#daemon = daemon;
    await daemon.waitUntilReady(START_MS, async () => daemon.log.includes('"event":"node"'));
    this.#client = new Api(this.kubeconfig);
    this.#pid = this.#findPid();
    // The middle of the administrator's key occurs nowhere else.
    const key = (readAccess(this.kubeconfig).key ?? '').split('\n');
    const encoded = /client-key-data: (\S+)/.exec(readFileSync(this.kubeconfig, 'utf8'))?.[1];
    if (encoded) this.canaries.watch('the kubeconfig of the administrator', encoded.slice(60, 120));
    if (key[1] !== undefined) this.canaries.watch('the key of the administrator', key[1]);
  }

  /** Ends podkeep and removes everything that was created for the run. */
  async remove(): Promise<void> {
    try {
      this.#client?.close();
      await this.#daemon?.stop('SIGTERM', STOP_MS);
    } finally {
      for (const clean of this.#cleanups) clean();
      this.bystanders.end();
      this.machine.restoreSettings();
      this.canaries.remove();
      removeFolder(this.folder);
    }
  }

  /** Done once in a run, however many attacks need it. */
  once<T>(key: string, make: () => Promise<T>): Promise<T> {
    const known = this.#once.get(key);
    if (known) return known as Promise<T>;
    const made = make();
    this.#once.set(key, made);
    return made;
  }

  /** Done when everything else has ended, whatever happens. */
  atEnd(clean: () => void): void {
    this.#cleanups.push(clean);
  }

  newName(id: string): string {
    this.#podCount += 1;
    const words = id
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .slice(0, 40);
    return `a${this.#podCount}-${words}`.replace(/-+$/, '');
  }

  /** The answer of a server that refuses the pod is returned; null: it was created. */
  async create(pod: JsonObject, where = PODS): Promise<string | null> {
    const { code, text } = await this.api.create(where, this.#withImages(pod));
    return code < 300 ? null : text;
  }

  async pod(name: string): Promise<PodView | undefined> {
    const { code, body } = await this.api.get(`${PODS}/${name}`);
    return code === 200 ? (body as unknown as PodView) : undefined;
  }

  /** Undefined: it did not happen in time. */
  async podWhen(
    name: string,
    holds: (pod: PodView) => boolean,
    seconds: number,
  ): Promise<PodView | undefined> {
    const patience = { what: `pod ${name}`, deadlineMs: seconds * 1000 };
    const ask = async (): Promise<PodView | undefined> => {
      const found = await this.pod(name);
      return found && holds(found) ? found : undefined;
    };
    return waitFor(patience, ask).catch(() => undefined);
  }

  async logs(pod: string, container: string): Promise<string> {
    const limit = 'limitBytes=4000000';
    const { code, text } = await this.api.get(`${PODS}/${pod}/log?container=${container}&${limit}`);
    return code === 200 ? text : '';
  }

  /** Until a log has a text; returns the log so far. */
  async logWith(pod: string, container: string, words: RegExp, seconds: number): Promise<string> {
    let text = '';
    const patience = { what: `the log of ${pod}`, deadlineMs: seconds * 1000 };
    const ask = async (): Promise<string | undefined> => {
      text = (await this.logs(pod, container)) || text;
      return words.test(text) ? text : undefined;
    };
    return waitFor(patience, ask).catch(() => text);
  }

  async events(pod: string): Promise<readonly EventView[]> {
    const { body } = await this.api.get('/api/v1/namespaces/default/events');
    const items = (body['items'] ?? []) as unknown as readonly EventView[];
    return items.filter(({ involvedObject }) => involvedObject.name === pod);
  }

  exec(request: ExecRequest): Promise<ExecOutput> {
    return execInPod(this.kubeconfig, request);
  }

  async addEphemeral(pod: string, container: JsonObject): Promise<string | null> {
    const where = `${PODS}/${pod}/ephemeralcontainers`;
    const body = { spec: { ephemeralContainers: [this.#withPolicy(container)] } };
    const { code, text } = await this.api.patch(where, body);
    return code < 300 ? null : text;
  }

  async delete(pod: string, graceSeconds = 1): Promise<void> {
    await this.api.delete(`${PODS}/${pod}`, { gracePeriodSeconds: graceSeconds });
  }

  /** The PID of podkeep itself; one that no process has if it is not found. */
  get pid(): number {
    return this.#pid;
  }

  /** The arguments of its command line begin after the interpreter and the program. */
  #findPid(): number {
    const isOurs = (pid: string): boolean => {
      const words = read(Number(pid), 'cmdline').split('\0');
      const at = words.indexOf('--data-dir');
      return words[at - 1] === 'up' && words[at + 1] === this.data;
    };
    const found = readdirSync('/proc').find((name) => /^\d+$/.test(name) && isOurs(name));
    return found === undefined ? NO_PROCESS : Number(found);
  }

  #config(): string {
    const kubelet = {
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      kind: 'KubeletConfiguration',
      podPidsLimit: POD_PIDS_LIMIT,
      containerLogMaxSize: String(LOG_BYTES_MAX),
      containerLogMaxFiles: LOG_FILES_MAX,
      containerLogMonitorInterval: '3s',
      crashLoopBackOff: { maxContainerRestartPeriod: '1s' },
      maxPods: 250,
      ...(this.#containerd ? { cgroupRoot: this.#containerd.cgroupRoot } : {}),
    };
    const podkeep = {
      apiVersion: 'podkeep.dev/v1alpha1',
      kind: 'PodkeepConfiguration',
      images: this.#images,
    };
    return `${JSON.stringify(kubelet)}\n---\n${JSON.stringify(podkeep)}\n`;
  }

  /** The images of attackers were imported; no registry has them. */
  #withImages(object: JsonObject): JsonObject {
    const spec = object['spec'] as JsonObject | undefined;
    if (!this.#containerd || object['kind'] !== 'Pod' || !spec) return object;
    const lists = (['initContainers', 'containers'] as const).flatMap((key) => {
      const list = spec[key] as readonly JsonObject[] | undefined;
      return list ? [[key, list.map((each) => this.#withPolicy(each))] as const] : [];
    });
    return { ...object, spec: { ...spec, ...Object.fromEntries(lists) } };
  }

  #withPolicy(container: JsonObject): JsonObject {
    return this.#containerd ? { ...container, imagePullPolicy: 'Never' } : container;
  }

  #giveAll(folder: string): void {
    const { prefix, uid, gid } = this.account;
    if (prefix.length > 0) execFileSync('chown', ['-Rh', `${uid}:${gid}`, folder]);
  }

  #give(file: string): void {
    if (process.getuid?.() === 0) chownSync(file, this.account.uid, this.account.gid);
  }
}

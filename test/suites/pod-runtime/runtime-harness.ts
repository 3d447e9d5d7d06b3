/** A runtime under test, and helpers for most cases. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { RuntimeContainer } from '../../../src/api/runtime-pod.ts';
import type { ContainerConfig } from '../../../src/ports/runtime/container-config.ts';
import type { PodRuntime, RuntimeEvent } from '../../../src/ports/runtime/pod-runtime.ts';
import type { SandboxConfig } from '../../../src/ports/runtime/sandbox-config.ts';
import { containerConfigOf, sandboxConfigOf } from '../../support/runtime-configs.ts';

export interface RuntimeUnderTest {
  readonly name: string;
  open(): Promise<OpenRuntime>;
  readonly skip?: Readonly<Record<string, string>>;
}

export interface OpenRuntime {
  readonly runtime: PodRuntime;
  /** An empty folder of this machine, for logs and volumes. */
  readonly folder: string;
  readonly image: string;
  readonly commands: Commands;
  /** Closes this instance and opens another over the same folder. */
  reopen(): Promise<PodRuntime>;
  /** Also ends and removes whatever is left. */
  close(): Promise<void>;
}

export interface Commands {
  /** Runs until it is asked to stop, and then exits with 0. */
  readonly forever: readonly string[];
  /** Ignores every signal to stop. It prints `ready` when its handlers are set. */
  readonly stubborn: readonly string[];
  exit(code: number): readonly string[];
  /** Exits with `code` on that signal. It prints `ready` when its handler is set. */
  exitOn(signal: string, code: number): readonly string[];
  /** Prints each on its stream, in order, and exits with 0. */
  print(
    lines: readonly (readonly [stream: 'stdout' | 'stderr', text: string])[],
  ): readonly string[];
  /** Prints this many numbered lines. */
  count(lines: number): readonly string[];
  /** Prints a numbered line every few milliseconds, until this many, and exits with 0. */
  countSlowly(lines: number): readonly string[];
  /** Does so until it is asked to stop, and then exits with 0. */
  readonly countForever: readonly string[];
  printVariables: readonly string[];
  printFolder: readonly string[];
  printFile(file: string): readonly string[];
  writeFile(file: string): readonly string[];
  /** Echoes its input. */
  readonly echo: readonly string[];
}

export interface Case {
  readonly title: string;
  readonly body: (harness: TestHarness) => Promise<void>;
}

const WAIT_MS_MAX = 60_000;
const NEVER = new AbortController().signal;

export class TestHarness {
  readonly #open: OpenRuntime;
  readonly events: RuntimeEvent[] = [];
  runtime: PodRuntime;

  constructor(open: OpenRuntime) {
    this.#open = open;
    this.runtime = open.runtime;
    this.runtime.follow?.((event) => this.events.push(event));
  }

  get commands(): Commands {
    return this.#open.commands;
  }

  get folder(): string {
    return this.#open.folder;
  }

  get image(): string {
    return this.#open.image;
  }

  async reopen(): Promise<void> {
    this.runtime = await this.#open.reopen();
    this.runtime.follow?.((event) => this.events.push(event));
  }

  close(): Promise<void> {
    return this.#open.close();
  }

  sandboxConfig(changes: Partial<SandboxConfig> = {}): SandboxConfig {
    const podUid = changes.podUid ?? 'pod-1';
    return sandboxConfigOf({
      podUid,
      podName: podUid,
      namespace: 'default',
      hostname: podUid,
      logFolder: path.join(this.folder, 'logs', podUid),
      ...changes,
    });
  }

  containerConfig(changes: Partial<ContainerConfig> = {}): ContainerConfig {
    const { name = 'main', attempt = 0 } = changes;
    return containerConfigOf({
      name,
      attempt,
      image: this.image,
      imageRef: this.image,
      command: this.commands.forever,
      logPath: `${name}/${attempt}.log`,
      ...changes,
    });
  }

  runSandbox(changes: Partial<SandboxConfig> = {}): Promise<string> {
    return this.runtime.runSandbox(this.sandboxConfig(changes), NEVER);
  }

  create(sandboxId: string, changes: Partial<ContainerConfig> = {}): Promise<string> {
    return this.runtime.createContainer(sandboxId, this.containerConfig(changes), NEVER);
  }

  /** Creates a container, in a new sandbox unless one is named, and starts it. */
  async start(changes: Partial<ContainerConfig> = {}, sandboxId?: string): Promise<string> {
    const id = await this.create(sandboxId ?? (await this.runSandbox()), changes);
    await this.runtime.startContainer(id);
    return id;
  }

  stop(id: string, graceSeconds: number, signal: AbortSignal = NEVER): Promise<void> {
    return this.runtime.stopContainer(id, graceSeconds, signal);
  }

  async execute(id: string, command: readonly string[], timeoutSeconds = 0): Promise<string> {
    const result = await this.runtime.execSync(id, { command, timeoutSeconds }, NEVER);
    return Buffer.from(result.stdout).toString();
  }

  async container(id: string): Promise<RuntimeContainer> {
    for (const { pod } of await this.runtime.list()) {
      const found = pod.containers.find((each) => each.id === id);
      if (found) return found;
    }
    throw new Error(`there is no container ${id}`);
  }

  /** Returns the container when it has exited. */
  async exited(id: string): Promise<RuntimeContainer> {
    await until(async () => (await this.container(id)).state === 'exited');
    return this.container(id);
  }

  /** Runs a command to its end and returns what it printed. */
  async output(changes: Partial<ContainerConfig>, sandboxId?: string): Promise<string> {
    const id = await this.start(changes, sandboxId);
    await this.exited(id);
    return linesOf(await this.log(changes.name)).join('\n');
  }

  logFile(name = 'main', podUid = 'pod-1', attempt = 0): string {
    return path.join(this.folder, 'logs', podUid, name, `${attempt}.log`);
  }

  log(name = 'main', podUid = 'pod-1'): Promise<string> {
    return readFile(this.logFile(name, podUid), 'utf8');
  }

  async logged(text: string, name = 'main'): Promise<void> {
    await until(async () => (await this.log(name)).includes(text));
  }
}

/** The output of containers, without the time stamps. */
export function linesOf(log: string): readonly string[] {
  return log
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split(' ').slice(3).join(' '));
}

/** Polls, because real containers take real time. */
export async function until(isTrue: () => Promise<boolean> | boolean): Promise<void> {
  const endMs = Date.now() + WAIT_MS_MAX;
  while (!(await isTrue())) {
    if (Date.now() > endMs) throw new Error('it did not come true');
    await delay(5);
  }
}

/**
 * A test's client of a cluster, of any kind: kubectl as a person would use it, API requests, and waiting
 * until something holds.
 */
import { spawn } from 'node:child_process';
import type { JsonObject } from '../../../src/lib/json.ts';
import type { Api } from './api.ts';
import type { KubectlOutput } from './kubectl.ts';
import { waitFor } from './patience.ts';
import { isOver, isReady, type PodView } from './pod-view.ts';

export interface RunningCommand {
  /** As Ctrl-C does. */
  readonly end: () => void;
  readonly say: (text: string) => void;
}

export interface RunOptions {
  readonly stdin?: string;
  /** Called with all output so far, whenever there is more. */
  readonly onOutput?: (stdout: string, child: RunningCommand) => void;
  /** Stdin stays open until the listener ends the run. */
  readonly keepsStdin?: boolean;
}

interface EventView {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count?: number;
  readonly involvedObject: { readonly name: string; readonly fieldPath?: string };
}

const WAIT_MS = 60_000;
const COMMAND_MS = 90_000;

export abstract class PodClient {
  /** The environment of podkeep and kubectl: PATH and KUBECONFIG. */
  abstract readonly env: Readonly<Record<string, string>>;
  /** The prefix of a command that makes it run as the user of the cluster. */
  protected abstract readonly prefix: readonly string[];
  /** A client of the API, once there is one. */
  protected abstract readonly api: Api;
  /** The end of podkeep's log, for errors of a wait. */
  protected abstract readonly terminationMessage: string;

  /** Runs anything as the user, with kubectl and the kubeconfig at hand. */
  run(words: readonly string[], options: RunOptions = {}): Promise<KubectlOutput> {
    const [command = '', ...args] = [...this.prefix, ...words];
    const { stdin = '', onOutput, keepsStdin = false } = options;
    return new Promise((resolve, reject) => {
      let [stdout, stderr] = ['', ''];
      const cwd = this.env['HOME'];
      const child = spawn(command, args, { cwd, env: { ...this.env }, timeout: COMMAND_MS });
      const client = {
        end: () => void child.kill('SIGINT'),
        say: (text: string) => void child.stdin.write(text),
      };
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        stdout += text;
        onOutput?.(stdout, client);
      });
      child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
      child.on('error', reject);
      child.on('close', (code) => resolve({ code, stdout, stderr }));
      child.stdin.on('error', () => undefined);
      if (keepsStdin) child.stdin.write(stdin);
      else child.stdin.end(stdin);
    });
  }

  /** Whatever its exit code. The arguments are the words of the line, between spaces. */
  attempt(line: string | readonly string[], options?: RunOptions): Promise<KubectlOutput> {
    const words = typeof line === 'string' ? line.split(' ') : line;
    return this.run(['kubectl', ...words], options);
  }

  /** It must succeed; returns its output. */
  async kubectl(line: string | readonly string[], options?: RunOptions): Promise<string> {
    const { code, stdout, stderr } = await this.attempt(line, options);
    if (code !== 0)
      throw new Error(`kubectl ${String(line)} ended with ${code}\n${stdout}${stderr}`);
    return stdout;
  }

  async apply(...objects: readonly JsonObject[]): Promise<void> {
    const list = { apiVersion: 'v1', kind: 'List', items: objects };
    await this.kubectl('apply -f -', { stdin: JSON.stringify(list) });
  }

  /** The API's answer, without kubectl in between: for polling. */
  async get(where: string): Promise<JsonObject | undefined> {
    const { code, body } = await this.api.get(where);
    return code === 200 ? body : undefined;
  }

  async pod(name: string, namespace = 'default'): Promise<PodView | undefined> {
    const found = await this.get(`/api/v1/namespaces/${namespace}/pods/${name}`);
    return found as unknown as PodView | undefined;
  }

  podWhen(name: string, what: string, holds: (pod: PodView) => boolean): Promise<PodView> {
    let last: PodView | undefined;
    const explain = (): string =>
      `${JSON.stringify(last?.status, null, 1)}\n${this.terminationMessage}`;
    const patience = { what: `pod ${name} ${what}`, deadlineMs: WAIT_MS, explain };
    return waitFor(patience, async () => {
      last = await this.pod(name);
      return last && holds(last) ? last : undefined;
    });
  }

  ready(name: string): Promise<PodView> {
    return this.podWhen(name, 'to be ready', isReady);
  }

  over(name: string): Promise<PodView> {
    return this.podWhen(name, 'to be over', isOver);
  }

  async gone(name: string, namespace = 'default'): Promise<void> {
    await waitFor({ what: `pod ${name} to be gone`, deadlineMs: WAIT_MS }, async () =>
      (await this.pod(name, namespace)) === undefined ? true : undefined,
    );
  }

  /** Until an event of an object has this reason and this text. */
  event(name: string, reason: string, words = ''): Promise<EventView> {
    let last: readonly EventView[] = [];
    const explain = (): string =>
      last.map((each) => `${each.type} ${each.reason}: ${each.message}`).join('\n');
    const patience = { what: `event ${reason} of ${name}`, deadlineMs: WAIT_MS, explain };
    return waitFor(patience, async () => {
      last = await this.events(name);
      return last.find((each) => each.reason === reason && each.message.includes(words));
    });
  }

  async events(name: string): Promise<readonly EventView[]> {
    const list = await this.get('/api/v1/namespaces/default/events');
    const items = (list?.['items'] ?? []) as unknown as readonly EventView[];
    return items.filter((each) => each.involvedObject.name === name);
  }

  /** Until the log of a container has this text; returns all of it. */
  logWith(pod: string, words: string, options = ''): Promise<string> {
    const line = `logs ${pod} ${options}`.trim();
    const patience = { what: `"${words}" in the log of ${pod}`, deadlineMs: WAIT_MS };
    return waitFor(patience, async () => {
      const text = await this.kubectl(line);
      if (!text.includes(words)) throw new Error(text);
      return text;
    });
  }
}

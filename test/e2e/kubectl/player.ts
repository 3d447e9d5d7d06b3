/** Plays the steps of the script against one server with the real kubectl. */
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningApiServer } from '../support/api-server.ts';
import { runKubectl, type KubectlOutput } from '../support/kubectl.ts';
import { expandNames, splitWords } from './command-line.ts';
import type { Step } from './step.ts';

export interface Output extends KubectlOutput {
  /** The awaited output that did not come. */
  readonly awaited?: string;
}

const UNTIL_MS = 30_000;
const RETRY_MS = 150;
/** A watch that has shown everything gets this long to show what it should not. */
const AFTERMATH_MS = 300;
const FIXTURES = path.join(import.meta.dirname, 'fixtures');

export class Player {
  readonly server: RunningApiServer;
  readonly #saved: Map<string, string>;

  constructor(server: RunningApiServer) {
    this.server = server;
    this.#saved = new Map([
      ['FIXTURES', FIXTURES],
      ['FOLDER', server.folder],
      ['SERVER', server.address],
    ]);
  }

  async play(namespace: string, step: Step): Promise<Output> {
    const output = await this.#playOnce(namespace, step);
    if (step.save !== undefined) this.#saved.set(step.save, output.stdout.trim());
    return output;
  }

  #playOnce(namespace: string, step: Step): Promise<Output> {
    if (step.during) return this.#watch(namespace, step, step.during);
    return step.until ? this.#ask(namespace, step, step.until) : this.#type(namespace, step);
  }

  /** Repeats until the answer is the awaited one, or a deadline passes. */
  async #ask(namespace: string, step: Step, until: RegExp): Promise<Output> {
    const deadline = Date.now() + UNTIL_MS;
    for (;;) {
      const output = await this.#type(namespace, step);
      if (until.test(output.stdout + output.stderr)) return output;
      if (Date.now() > deadline) return { ...output, awaited: `${until}` };
      await sleep(RETRY_MS);
    }
  }

  async #watch(namespace: string, step: Step, during: readonly string[]): Promise<Output> {
    let started = (): void => undefined;
    const begun = new Promise<void>((resolve) => (started = resolve));
    let shown = '';
    let finish = (): void => undefined;
    const watch = runKubectl(this.server, this.#words(namespace, step.line), {
      onOutput: (stdout, end) => {
        shown = stdout;
        finish = end;
        started();
      },
    });
    await Promise.race([begun, watch]);
    for (const line of during) await this.#type(namespace, { line });
    const isOver = (): boolean => step.until?.test(shown) ?? true;
    const deadline = Date.now() + UNTIL_MS;
    while (!isOver() && Date.now() < deadline) await sleep(RETRY_MS);
    await sleep(AFTERMATH_MS);
    finish();
    const output = await watch;
    return isOver() ? output : { ...output, awaited: `${step.until}` };
  }

  #type(namespace: string, { line, stdin, editor }: Step): Promise<Output> {
    return runKubectl(this.server, this.#words(namespace, line), {
      stdin: stdin === undefined ? undefined : expandNames(stdin, this.#saved),
      editor,
    });
  }

  #words(namespace: string, line: string): readonly string[] {
    const words = splitWords(line).map((word) => expandNames(word, this.#saved));
    return [`--namespace=${namespace}`, ...words];
  }
}

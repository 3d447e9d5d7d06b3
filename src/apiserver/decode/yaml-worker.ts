/**
 * Reads YAML without stopping the other clients: a small text at once, a large one on a worker thread.
 *
 *     text ── up to 16 KiB ──> here
 *        └─── larger ────────> queue ──> one thread, one text at a time, ten seconds each at most
 *
 * The yaml package needs about a millisecond for a kilobyte. The thread is started by the first large
 * text, shared by all servers of the process, and does not keep the process alive. A text that takes
 * it too long, or too much memory, is refused; the next one gets a fresh thread where necessary.
 */
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { NESTING_MAX } from './nesting.ts';
import { YAML_TO_JSON_PARTS, yamlToJson, type YamlLimits } from './yaml-json.ts';

const INLINE_CHARS_MAX = 16 * 1024;
const TEXT_MS_MAX = 10_000;
const MEMORY_MEGABYTES = 512;
const LIMITS: YamlLimits = { levels: NESTING_MAX, chars: 3 * 1024 * 1024 };

/** Resolves with JSON. Rejects with an Error whose message is meant for the client. */
export async function readYamlAsJson(text: string): Promise<string> {
  if (text.length > INLINE_CHARS_MAX) return queue(text);
  // Few clients send YAML, and a server that starts does not wait for its parser.
  return yamlToJson(await import('yaml'), text, LIMITS);
}

interface Job {
  readonly text: string;
  readonly resolve: (json: string) => void;
  readonly reject: (error: Error) => void;
}

/** What the thread answers; one of the two. */
interface Result {
  readonly json?: string;
  readonly fault?: string;
}

const waiting: Job[] = [];
let running: Job | undefined;
let thread: Worker | undefined;

function queue(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    waiting.push({ text, resolve, reject });
    runNext();
  });
}

function runNext(): void {
  if (running) return;
  running = waiting.shift();
  if (!running) return thread?.unref();
  thread ??= startThread();
  thread.ref();
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
  thread.postMessage(running.text);
}

function settle(settleJob: (job: Job) => void): void {
  const job = running;
  running = undefined;
  if (job) settleJob(job);
  runNext();
}

function startThread(): Worker {
  const { resolve } = createRequire(import.meta.url);
  const started = new Worker(programOf(resolve('yaml')), {
    eval: true,
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MEGABYTES },
  });
  started.on('message', ({ json, fault }: Result) => {
    settle((job) => (json === undefined ? job.reject(new Error(fault)) : job.resolve(json)));
  });
  started.on('error', () => {
    // It has used up its memory, or its stack: this text is to blame, and the next ones are not.
    if (thread === started) thread = undefined;
    settle((job) => job.reject(new Error('the YAML needs too much memory to be read')));
  });
  return started;
}

/** The watchdog of `vm` ends a text that takes too long, in the middle of whatever the thread does. */
function programOf(yamlPath: string): string {
  return `
    const { parentPort } = require('node:worker_threads');
    const { Script } = require('node:vm');
    const yaml = require(${JSON.stringify(yamlPath)});
    ${YAML_TO_JSON_PARTS.map(String).join('\n')}
    const read = new Script('readOne()');
    let text = '';
    globalThis.readOne = () => ${yamlToJson.name}(yaml, text, ${JSON.stringify(LIMITS)});
    parentPort.on('message', (next) => {
      text = next;
      try {
        parentPort.postMessage({ json: read.runInThisContext({ timeout: ${TEXT_MS_MAX} }) });
      } catch (error) {
        const isLate = error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
        const fault = isLate ? 'the YAML takes too long to be read' : String(error.message);
        parentPort.postMessage({ fault });
      }
    });`;
}

/**
 * Parses YAML without blocking other clients: small texts on the main thread, large ones on a worker thread.
 *
 *     text ── up to 16 KiB ──> main thread
 *        └─── larger ────────> queue ──> one worker, one text at a time, at most ten seconds each
 *
 * The yaml package needs about a millisecond per kilobyte. The first large text starts the worker. All
 * servers of the process share it, and it does not keep the process alive. A text that takes too long or too
 * much memory is refused; the next one gets a new worker if necessary.
 */
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { NESTING_MAX } from './nesting.ts';
import { YAML_TO_JSON_PARTS, yamlToJson, type YamlLimits } from './yaml-json.ts';

const INLINE_CHARS_MAX = 16 * 1024;
const TEXT_MS_MAX = 10_000;
const MEMORY_MEGABYTES = 512;
const LIMITS: YamlLimits = { levels: NESTING_MAX, chars: 3 * 1024 * 1024 };

/** Resolves with JSON text. Rejects with an Error whose message is sent to the client. */
export async function readYamlAsJson(text: string, takesDuplicates = false): Promise<string> {
  if (text.length > INLINE_CHARS_MAX) return queue(text, takesDuplicates);
  // Few clients send YAML, so the parser is loaded lazily.
  return yamlToJson(await import('yaml'), text, { ...LIMITS, takesDuplicates });
}

interface Job {
  readonly text: string;
  readonly takesDuplicates: boolean;
  readonly resolve: (json: string) => void;
  readonly reject: (error: Error) => void;
}

/** The worker's answer: exactly one of the two fields. */
interface Result {
  readonly json?: string;
  readonly fault?: string;
}

const waiting: Job[] = [];
let running: Job | undefined;
let thread: Worker | undefined;

function queue(text: string, takesDuplicates: boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    waiting.push({ text, takesDuplicates, resolve, reject });
    runNext();
  });
}

function runNext(): void {
  if (running) return;
  running = waiting.shift();
  if (!running) return thread?.unref();
  thread ??= startThread();
  thread.ref();
  const { text, takesDuplicates } = running;
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
  thread.postMessage({ text, takesDuplicates });
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
    // The worker ran out of memory or stack: only this text is refused.
    if (thread === started) thread = undefined;
    settle((job) => job.reject(new Error('the YAML needs too much memory to be read')));
  });
  return started;
}

/** The watchdog of `vm` aborts a text that takes too long, whatever the worker is doing. */
function programOf(yamlPath: string): string {
  return `
    const { parentPort } = require('node:worker_threads');
    const { Script } = require('node:vm');
    const yaml = require(${JSON.stringify(yamlPath)});
    ${YAML_TO_JSON_PARTS.map(String).join('\n')}
    const read = new Script('readOne()');
    let job = { text: '' };
    globalThis.readOne = () => ${yamlToJson.name}(yaml, job.text, {
      ...${JSON.stringify(LIMITS)},
      takesDuplicates: job.takesDuplicates,
    });
    parentPort.on('message', (next) => {
      job = next;
      try {
        parentPort.postMessage({ json: read.runInThisContext({ timeout: ${TEXT_MS_MAX} }) });
      } catch (error) {
        const isLate = error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
        const fault = isLate ? 'the YAML takes too long to be read' : String(error.message);
        parentPort.postMessage({ fault });
      }
    });`;
}

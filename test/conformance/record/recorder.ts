/** Plays the requests of one scenario against a real kube-apiserver and returns it with the answers. */
import type { IncomingMessage } from 'node:http';
import { Agent, request as send } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import { readAccess } from '../../e2e/support/kubeconfig.ts';
import { Redaction } from './redaction.ts';

interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
  readonly userAgent?: string;
}

interface Step {
  readonly note?: string;
  readonly request?: RecordedRequest;
  readonly watch?: {
    readonly path: string;
    readonly overSteps: readonly [number, number];
    readonly resourceVersionAfterStep?: number;
  };
}

export interface Scenario {
  readonly scenario: string;
  /** Versions are `<rv1>`, `<rv2>`…, by first sight; absent: all are `<rv>`. */
  readonly numbered?: boolean;
  readonly steps: readonly Step[];
}

interface Reply {
  readonly code: number;
  readonly contentType: string;
  readonly warnings: readonly string[];
  readonly body: unknown;
}

/** How long a watch is read after the last step that it covers. */
const WATCH_SETTLE_MS = 700;
/** A watch sees only what is written after it was opened. */
const WATCH_OPEN_MS = 300;
const INFORMERS_MS = 60;
/** A request that is no watch ends sooner. */
const ANSWER_MS_MAX = 20_000;

export async function recordScenario(scenario: Scenario, kubeconfig: string): Promise<unknown> {
  const recorder = new Recorder(scenario, kubeconfig);
  try {
    await recorder.open();
    return { ...scenario, steps: await recorder.record() };
  } finally {
    await recorder.close();
  }
}

interface OpenWatch {
  readonly response: IncomingMessage;
  readonly text: string[];
}

class Recorder {
  readonly #scenario: Scenario;
  readonly #server: string;
  readonly #agent: Agent;
  readonly #redaction: Redaction;
  readonly #watches = new Map<number, OpenWatch>();
  readonly #namespace: string;

  constructor(scenario: Scenario, kubeconfig: string) {
    const { server, ca, cert, key } = readAccess(kubeconfig);
    this.#scenario = scenario;
    this.#server = server;
    // A server that runs already may have the namespace of an earlier recording.
    this.#namespace = `rec-${scenario.scenario}-${process.pid}`;
    this.#agent = new Agent({ keepAlive: true, ca, ...(cert && { cert }), ...(key && { key }) });
    this.#redaction = new Redaction(this.#namespace, scenario.numbered ?? false);
  }

  async open(): Promise<void> {
    const contentType = 'application/json';
    const body = { metadata: { name: this.#namespace } };
    await this.#reply({ method: 'POST', path: '/api/v1/namespaces', body, contentType });
    const path = `/api/v1/namespaces/${this.#namespace}/serviceaccounts`;
    const account = { metadata: { name: 'default' } };
    await this.#reply({ method: 'POST', path, body: account, contentType });
  }

  /** Addresses and ports of services are of the whole cluster. */
  async close(): Promise<void> {
    const path = `/api/v1/namespaces/${this.#namespace}/services`;
    await this.#reply({ method: 'DELETE', path });
    this.#agent.destroy();
  }

  async record(): Promise<readonly unknown[]> {
    const { steps } = this.#scenario;
    const recorded: unknown[] = [];
    const versions: string[] = [];
    for (const [index, step] of steps.entries()) {
      for (const [at, { watch }] of steps.entries()) {
        if (watch?.overSteps[0] === index) await this.#openWatch(at, watch, versions);
      }
      recorded.push(await this.#recordStep(index, step));
      versions.push(await this.#listVersion());
    }
    return recorded;
  }

  async #recordStep(index: number, step: Step): Promise<unknown> {
    const { request, watch } = step;
    if (request) {
      // What admission reads, kube-apiserver reads from informers.
      await pause(INFORMERS_MS);
      const filled = await this.#filled(request);
      const { code, contentType, warnings, body } = await this.#reply(filled);
      const response = {
        body: this.#redaction.redact(body),
        code,
        contentType,
        ...(warnings.length > 0 && { warnings: this.#redaction.redact(warnings) }),
      };
      return { ...step, request, response };
    }
    const open = this.#watches.get(index);
    if (!watch || !open) return step;
    await pause(WATCH_SETTLE_MS);
    open.response.destroy();
    const lines = open.text.join('').split('\n').filter(Boolean);
    const parsed = lines.map((line) => JSON.parse(line) as unknown);
    const { statusCode: code = 0 } = open.response;
    const events = code === 200 ? parsed : [{ body: parsed[0], code }];
    return { ...step, watch: { ...watch, events: this.#redaction.redact(events) } };
  }

  async #openWatch(
    at: number,
    watch: NonNullable<Step['watch']>,
    versions: readonly string[],
  ): Promise<void> {
    const version = versions[watch.resourceVersionAfterStep ?? -1] ?? '0';
    const response = await this.#send({
      method: 'GET',
      path: this.#redaction.fillText(watch.path, version),
    });
    const text: string[] = [];
    response.setEncoding('utf8').on('data', (part: string) => text.push(part));
    response.on('error', () => {});
    this.#watches.set(at, { response, text });
    await pause(WATCH_OPEN_MS);
  }

  /** From which version the watches of the scenario may start. */
  async #listVersion(): Promise<string> {
    const watched = this.#scenario.steps.find(
      ({ watch }) => watch?.resourceVersionAfterStep !== undefined,
    )?.watch;
    const [path = ''] = watched?.path.split('?') ?? [];
    return path === '' ? '' : this.#versionAt(listPathOf(path));
  }

  async #filled(request: RecordedRequest): Promise<RecordedRequest> {
    const version = JSON.stringify(request).includes('<rv>')
      ? await this.#versionAt(request.path.split('?')[0] ?? '')
      : '1';
    return this.#redaction.fill(request, version) as RecordedRequest;
  }

  async #versionAt(path: string): Promise<string> {
    const filled = this.#redaction.fillText(path, '1');
    const { body } = await this.#reply({ method: 'GET', path: filled });
    return (body as { metadata?: { resourceVersion?: string } }).metadata?.resourceVersion ?? '1';
  }

  async #reply(request: RecordedRequest): Promise<Reply> {
    const response = await this.#send(request);
    const parts: Buffer[] = [];
    for await (const part of response) parts.push(part as Buffer);
    const text = Buffer.concat(parts).toString();
    const { statusCode: code = 0, headers, headersDistinct } = response;
    const contentType = headers['content-type'] ?? '';
    const isJson = contentType.includes('json') && text !== '';
    const isWatch = text.includes('\n{');
    if (isWatch) throw new Error(`${request.path} is a watch: write it as a step with "watch"`);
    const body: unknown = isJson ? JSON.parse(text) : text;
    return { code, contentType, warnings: headersDistinct['warning'] ?? [], body };
  }

  #send(request: RecordedRequest): Promise<IncomingMessage> {
    const { method, path, body, contentType, accept, userAgent } = request;
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const address = new URL(this.#server);
    return new Promise((resolve, reject) => {
      const call = send(
        {
          method,
          host: address.hostname,
          port: address.port,
          path,
          agent: this.#agent,
          timeout: ANSWER_MS_MAX,
          headers: {
            ...(accept !== undefined && { accept }),
            ...(contentType !== undefined && { 'content-type': contentType }),
            ...(userAgent !== undefined && { 'user-agent': userAgent }),
            'content-length': Buffer.byteLength(text ?? ''),
          },
        },
        resolve,
      );
      call.on('error', reject);
      call.on('timeout', () => call.destroy(new Error(`${method} ${path} has no end`)));
      call.end(text ?? '');
    });
  }
}

/** The deprecated paths of watches have the list elsewhere. */
export function listPathOf(watchPath: string): string {
  return watchPath.replace('/v1/watch/', '/v1/');
}

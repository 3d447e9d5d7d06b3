/**
 * The connection of one command to an API server: finds the kubeconfig, sends requests, and closes the
 * connection.
 *
 *     --kubeconfig, else $KUBECONFIG, else the one that `podkeep up` writes
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { readLines, readWhole } from '../../client/answer-body.ts';
import { refusalOf } from '../../client/api-status.ts';
import { apiAnswerBroken, apiTimedOut } from '../../client/client-errors.ts';
import type { ClusterAccess } from '../../client/kubeconfig/cluster-access.ts';
import { loadKubeconfig } from '../../client/kubeconfig/kubeconfig.ts';
import { within } from '../../client/time-limit.ts';
import { createHttpsTransport } from '../../client/transport/https-transport.ts';
import type { Transport, WireResponse } from '../../client/transport/transport.ts';
import { defineError } from '../../lib/errors.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { parseExactJson } from '../../lib/json-text/exact-json.ts';
import { systemClock as clock } from '../../platform/system-clock.ts';
import { locateDataFolder } from '../data-folder.ts';
import type { Io } from '../io.ts';
import { visibleText } from '../terminal-text.ts';
import { version } from '../version.ts';

export interface SessionOptions {
  readonly kubeconfig?: string;
  readonly namespace?: string;
}

export interface ChangeRequest {
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  /** Path and query. */
  readonly target: string;
  /** Absent: none. */
  readonly body?: JsonObject;
  /** Of the body; absent: JSON. */
  readonly type?: string;
  readonly limitMs?: number;
}

const JSON_TYPE = 'application/json';
const ANSWER_MS_MAX = 60_000;
const LINE_CHARS_MAX = 16 * 2 ** 20;

const clusterUnknown = defineError<{ file: string }>({
  code: 'CLUSTER_UNKNOWN',
  retry: 'never',
  message: ({ file }) => `no cluster is configured, and there is no ${file}`,
  hint: () => 'Start one with `podkeep up`, or name one with --kubeconfig or $KUBECONFIG.',
});

export class ApiSession {
  readonly access: ClusterAccess;
  readonly namespace: string;
  readonly #transport: Transport;

  constructor(access: ClusterAccess, transport: Transport, namespace = access.namespace) {
    this.access = access;
    this.namespace = namespace;
    this.#transport = transport;
  }

  async ask(target: string, signal: AbortSignal, accept = JSON_TYPE): Promise<JsonObject> {
    const name = `GET ${target}`;
    const overdue = (): Error => apiTimedOut({ request: name, seconds: ANSWER_MS_MAX / 1000 });
    const text = await within({ clock, limitMs: ANSWER_MS_MAX, overdue }, signal, async (bounded) =>
      readWhole((await this.#send(target, bounded, accept)).body, name),
    );
    return parse(text, name);
  }

  /** A request that changes something. `limitMs`: how long the answer may take. */
  async change(
    { method, target, body, type = JSON_TYPE, limitMs = ANSWER_MS_MAX }: ChangeRequest,
    signal: AbortSignal,
  ): Promise<JsonObject> {
    const name = `${method} ${target}`;
    const overdue = (): Error => apiTimedOut({ request: name, seconds: limitMs / 1000 });
    const headers = {
      accept: JSON_TYPE,
      'user-agent': `podkeep/${version()}`,
      ...(body && { 'content-type': type }),
    };
    const text = await within({ clock, limitMs, overdue }, signal, async (bounded) => {
      const request = { method, target, headers, body: body ?? null };
      const response = await this.#transport.send(request, bounded);
      const whole = await readWhole(response.body, name);
      if (response.status < 300) return whole;
      throw refusalOf(response, whole, name, clock.now());
    });
    return parse(text, name);
  }

  /** In chunks as they arrive, until the server ends the response. */
  async read(target: string, signal: AbortSignal): Promise<WireResponse['body']> {
    return (await this.#send(target, signal, '*/*')).body;
  }

  async *watch(target: string, signal: AbortSignal, accept: string): AsyncGenerator<JsonObject> {
    const name = `watch of ${target}`;
    const { body } = await this.#send(target, signal, accept);
    for await (const line of readLines(body, name, LINE_CHARS_MAX)) yield parse(line, name);
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  async #send(target: string, signal: AbortSignal, accept: string): Promise<WireResponse> {
    const headers = { accept, 'user-agent': `podkeep/${version()}` };
    const response = await this.#transport.send(
      { method: 'GET', target, headers, body: null },
      signal,
    );
    if (response.status === 200) return response;
    const name = `GET ${target}`;
    throw refusalOf(response, await readWhole(response.body, name), name, clock.now());
  }
}

export async function openSession(options: SessionOptions, io: Io): Promise<ApiSession> {
  const { namespace } = options;
  const access = await loadKubeconfig(findKubeconfig(options, io.env));
  const log = { debug: ignore, info: ignore, warn: warnOn(io), error: warnOn(io) };
  const transport = createHttpsTransport(access, { clock, log, environment: io.env });
  return new ApiSession(access, transport, namespace);
}

/** The file of --kubeconfig, or all files of $KUBECONFIG that exist. */
function findKubeconfig(
  { kubeconfig }: SessionOptions,
  env: Io['env'],
): string | readonly string[] {
  if (kubeconfig !== undefined) return kubeconfig;
  const named = (env['KUBECONFIG'] ?? '').split(path.delimiter).filter((file) => file !== '');
  const [first] = named;
  if (first !== undefined) {
    const there = named.filter((file) => existsSync(file));
    // If none exists, reading the first one gives the best error.
    return there.length > 0 ? there : first;
  }
  const file = locateDataFolder(undefined, env).kubeconfig;
  if (!existsSync(file)) throw clusterUnknown({ file });
  return file;
}

function parse(text: string, request: string): JsonObject {
  let value: unknown;
  try {
    value = parseExactJson(text);
  } catch (error) {
    throw apiAnswerBroken({ request, problem: 'it is not JSON' }, error);
  }
  if (!isJsonObject(value)) throw apiAnswerBroken({ request, problem: 'it is not an object' });
  return value;
}

function ignore(): void {}

function warnOn(io: Io): (message: string) => void {
  return (message) => io.err(`warning ${visibleText(message)}\n`);
}

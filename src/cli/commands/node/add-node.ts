/** `podkeep node add`: asks the running podkeep to add a node, and waits until the node is ready. */
import { defineError } from '../../../lib/errors.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { systemClock as clock } from '../../../platform/system-clock.ts';
import { ApiError } from '../../../ports/api/api-client.ts';
import type { Io } from '../../io.ts';
import { LOCAL_NODES_PATH } from '../../node/local-nodes/local-nodes-path.ts';
import { openSession, type ApiSession, type SessionOptions } from '../api-session.ts';
import { objectsIn, textOf } from '../kind-lookup.ts';
import { pauseFor } from './drain-node.ts';
import { objectAt } from './object-fields.ts';

export interface AddNodeOptions extends SessionOptions {
  /** In milliseconds. */
  readonly timeout: number;
}

const LOOK_MS = 100;

const nodesNotServed = defineError<{ reason: string }>({
  code: 'NODES_NOT_SERVED',
  retry: 'never',
  message: ({ reason }) => `this API server adds and removes no nodes: ${reason}`,
  hint: () => 'Name the kubeconfig of a `podkeep up` that runs nodes, with --kubeconfig.',
});

const nodeNotReady = defineError<{ name: string; seconds: number; reason: string }>({
  code: 'NODE_NOT_READY',
  retry: 'never',
  message: ({ name, seconds, reason }) =>
    `node ${name} was added, but is not ready after ${seconds} s${reason && `: ${reason}`}`,
  hint: ({ name }) => `podkeep explain node/${name} says why.`,
});

export async function addNode(
  wanted: string | undefined,
  { timeout, ...options }: AddNodeOptions,
  io: Io,
  signal: AbortSignal,
): Promise<number> {
  const session = await openSession(options, io);
  try {
    const body = wanted === undefined ? {} : { name: wanted };
    const request = { method: 'POST', target: LOCAL_NODES_PATH, body, limitMs: timeout } as const;
    const name = textOf((await asServed(session.change(request, signal)))['name']);
    await untilReady(session, name, timeout, signal);
    io.out(`node/${name} added\n`);
    return 0;
  } finally {
    await session.close();
  }
}

/** A path that is not served is no missing node. Throws NODES_NOT_SERVED. */
export async function asServed(answer: Promise<JsonObject>): Promise<JsonObject> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof ApiError) || error.statusCode !== 404) throw error;
    throw nodesNotServed({ reason: error.message }, error);
  }
}

async function untilReady(
  session: ApiSession,
  name: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<void> {
  const since = clock.monotonic();
  for (;;) {
    const node = await session.ask(`/api/v1/nodes/${name}`, signal);
    const conditions = objectsIn(objectAt(node, 'status')['conditions']);
    const ready = conditions.find(({ type }) => type === 'Ready');
    if (ready?.['status'] === 'True') return;
    if (clock.monotonic() - since > timeoutMs) {
      const reason = textOf(ready?.['message']);
      throw nodeNotReady({ name, seconds: timeoutMs / 1000, reason });
    }
    await pauseFor(clock, LOOK_MS, signal);
  }
}

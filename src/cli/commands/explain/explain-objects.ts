/**
 * `podkeep explain`: reads an object and related ones, and prints the explanation; with --watch, prints it
 * again after each change.
 */
import { explainDeployment } from '../../../core/explain/explain-deployment.ts';
import { explainNode } from '../../../core/explain/explain-node.ts';
import { explainSet } from '../../../core/explain/explain-set.ts';
import { explainPod } from '../../../core/explain/explain-pod.ts';
import type { Explanation } from '../../../core/explain/explanation.ts';
import { printExplanation } from '../../../core/explain/explanation-text.ts';
import { defineError } from '../../../lib/errors.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { systemClock as clock } from '../../../platform/system-clock.ts';
import { ApiError } from '../../../ports/api/api-client.ts';
import type { Io } from '../../io.ts';
import { visibleText } from '../../terminal-text.ts';
import { openSession, type SessionOptions } from '../api-session.ts';
import { printObject } from '../object-printer.ts';
import { NOT_FOUND, type Ask } from './api-reader.ts';
import { gatherDeployment, gatherNode, gatherSet } from './gather-others.ts';
import { gatherPod } from './gather-pod.ts';

export interface ExplainOptions extends SessionOptions {
  readonly output: 'text' | 'json';
  readonly watch: boolean;
}

export interface ExplainSubject {
  readonly kind: 'pod' | 'node' | 'deployment' | 'statefulset' | 'daemonset';
  readonly name: string;
}

const WATCH_MS = 2000;

const KINDS: ReadonlyMap<string, ExplainSubject['kind']> = new Map([
  ...['pod', 'pods', 'po'].map((word) => [word, 'pod'] as const),
  ...['node', 'nodes', 'no'].map((word) => [word, 'node'] as const),
  ...(
    [
      ['deployment', 'deploy'],
      ['statefulset', 'sts'],
      ['daemonset', 'ds'],
    ] as const
  ).flatMap(([kind, short]) =>
    [kind, `${kind}s`, short, `${kind}.apps`, `${kind}s.apps`].map((word) => [word, kind] as const),
  ),
]);

const explainUnclear = defineError<{ problem: string }>({
  code: 'EXPLAIN_UNCLEAR',
  retry: 'never',
  message: ({ problem }) => problem,
  hint: () =>
    'Write podkeep explain pod/NAME, node/NAME, deployment/NAME, statefulset/NAME or daemonset/NAME.',
});

export async function explainObjects(
  words: readonly string[],
  options: ExplainOptions,
  io: Io,
  signal: AbortSignal,
): Promise<number> {
  const subject = readSubject(words);
  const session = await openSession(options, io);
  const ask: Ask = (target, accept) => session.ask(target, signal, accept);
  const now = (): number => clock.now();
  try {
    let shown = '';
    for (;;) {
      const explanation = await explain(ask, subject, session.namespace, now);
      const text = changing(explanation);
      if (text !== shown) {
        if (shown !== '' && options.output === 'text') io.out('\n');
        io.out(await printed(explanation, options.output, io));
      }
      shown = text;
      if (!options.watch) return 0;
      await pause(signal);
    }
  } finally {
    await session.close();
  }
}

/** Parses `pod/web`, `pod web`, or `web`, which is a pod. */
export function readSubject(words: readonly string[]): ExplainSubject {
  const [first = '', second, ...rest] = words;
  const parts = second === undefined ? first.split('/') : [first, second];
  const [kindName = '', name] = parts.length === 1 ? ['pod', first] : parts;
  if (rest.length > 0 || parts.length > 2 || !name || name.includes('/')) {
    throw explainUnclear({ problem: 'one object is explained at a time, named as KIND/NAME' });
  }
  const kind = KINDS.get(kindName.toLowerCase());
  if (kind) return { kind, name };
  throw explainUnclear({
    problem: `podkeep cannot explain objects of the kind ${JSON.stringify(kindName)}`,
  });
}

/**
 * Throws ApiError if the object does not exist. A missing pod is still explained if its Events or its
 * timeline say something about it.
 */
export async function explain(
  ask: Ask,
  { kind, name }: ExplainSubject,
  namespace: string,
  now: () => number,
): Promise<Explanation> {
  if (kind === 'node') return explainNode(await gatherNode(ask, name, now));
  if (kind === 'deployment') {
    return explainDeployment(await gatherDeployment(ask, namespace, name, now));
  }
  if (kind === 'statefulset' || kind === 'daemonset') {
    const gathered = kind === 'statefulset' ? 'StatefulSet' : 'DaemonSet';
    return explainSet(await gatherSet(ask, gathered, namespace, name, now));
  }
  const input = await gatherPod(ask, namespace, name, now);
  const explanation = explainPod(input);
  const isUnknown = input.pod === null && explanation.timeline.length === 0;
  if (!isUnknown || explanation.causes.length > 0) return explanation;
  const message = `pods ${JSON.stringify(name)} not found in namespace ${JSON.stringify(namespace)}`;
  throw new ApiError({ statusCode: NOT_FOUND, reason: 'NotFound', message });
}

/** The explanation without its time, to find out whether it changed. */
function changing(explanation: Explanation): string {
  return JSON.stringify({ ...explanation, at: '' });
}

async function printed(
  explanation: Explanation,
  output: ExplainOptions['output'],
  io: Io,
): Promise<string> {
  if (output === 'text') return visibleText(printExplanation(explanation));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- explanations are JSON
  const object = explanation as unknown as JsonObject;
  const text = await printObject(object, 'json');
  return io.isOutTerminal ? visibleText(text) : text;
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      cancel();
      reject(new Error('the watch was stopped'));
    };
    const cancel = clock.after(WATCH_MS, () => {
      signal.removeEventListener('abort', stop);
      resolve();
    });
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

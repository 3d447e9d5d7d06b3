/**
 * Drains a node as kubectl drain does: cordons it, evicts its pods, and waits until they are gone.
 *
 *     decide ──> a pod must not be evicted: refused, and nothing has changed
 *        └─────> cordon ──> evict all at once ──> 429, a budget is used up: again in 5 s
 *                                └──> wait until each is gone, or another pod has its name
 *
 * Which pods are evicted is decided in core/node/drain-decision.ts. A node that could not be drained stays
 * cordoned: pods that were evicted must not come back to it.
 */
import { drainDecision, type DrainPolicy } from '../../../core/node/drain-decision.ts';
import { offAbort, onAbort } from '../../../lib/abort-listeners.ts';
import { defineError } from '../../../lib/errors.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { ApiError } from '../../../ports/api/api-client.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { ChangeRequest } from '../api-session.ts';
import { objectsIn, textOf } from '../kind-lookup.ts';
import { objectAt } from './object-fields.ts';

export interface DrainOptions extends DrainPolicy {
  /** Undefined: as each pod says. */
  readonly graceSeconds?: number | undefined;
  /** Undefined: there is no limit. */
  readonly timeoutMs?: number | undefined;
}

export interface DrainDeps {
  readonly session: {
    ask(target: string, signal: AbortSignal): Promise<JsonObject>;
    change(request: ChangeRequest, signal: AbortSignal): Promise<JsonObject>;
  };
  readonly clock: Clock;
  readonly print: (line: string) => void;
  readonly warn: (line: string) => void;
}

const RETRY_MS = 5000;
const LOOK_MS = 1000;
const MERGE_PATCH = 'application/merge-patch+json';

const drainRefused = defineError<{ name: string; reasons: readonly string[] }>({
  code: 'DRAIN_REFUSED',
  retry: 'never',
  message: ({ name, reasons }) =>
    `node ${name} is not drained: cannot delete ${reasons.join('; ')}`,
  hint: () => 'Delete these pods, or allow it with the flags that the message names.',
});

const drainOverdue = defineError<{ name: string; seconds: number; pods: readonly string[] }>({
  code: 'DRAIN_OVERDUE',
  retry: 'never',
  message: ({ name, seconds, pods }) =>
    `node ${name} is not drained after ${seconds} s: ${pods.join(', ')} still there`,
  hint: ({ name }) =>
    `The node stays, and takes no new pods. Try again, or run: kubectl uncordon ${name}`,
});

/** Throws DRAIN_REFUSED, DRAIN_OVERDUE, or the error of the API. */
export async function drainNode(
  deps: DrainDeps,
  name: string,
  options: DrainOptions,
  signal: AbortSignal,
): Promise<void> {
  const { session, clock, print } = deps;
  await chosenPods(deps, name, options, signal, () => {});
  const body = { spec: { unschedulable: true } };
  const target = `/api/v1/nodes/${name}`;
  await session.change({ method: 'PATCH', target, body, type: MERGE_PATCH }, signal);
  print(`node/${name} cordoned`);
  // Pods may have come until now.
  const pods = await chosenPods(deps, name, options, signal, deps.warn);
  const left = new Set(pods.map(titleOf));
  const abort = new AbortController();
  const leave = (): void => abort.abort(signal.reason);
  onAbort(signal, leave);
  const { timeoutMs } = options;
  const overdue = (): void =>
    abort.abort(drainOverdue({ name, seconds: (timeoutMs ?? 0) / 1000, pods: [...left] }));
  const cancel = timeoutMs === undefined ? () => {} : clock.after(timeoutMs, overdue);
  try {
    await Promise.all(
      pods.map(async (pod) => {
        await endPod(deps, pod, options, abort.signal);
        left.delete(titleOf(pod));
      }),
    );
    print(`node/${name} drained`);
  } catch (error) {
    // The other pods are not waited for.
    abort.abort(error);
    throw abort.signal.reason;
  } finally {
    cancel();
    offAbort(signal, leave);
  }
}

/** Resolves after the time. Rejects with the reason of the signal. */
export async function pauseFor(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await new Promise<void>((resolve) => {
    const end = (): void => {
      cancel();
      offAbort(signal, end);
      resolve();
    };
    const cancel = clock.after(delayMs, end);
    onAbort(signal, end);
  });
  signal.throwIfAborted();
}

/** Those to evict. Throws DRAIN_REFUSED. */
async function chosenPods(
  { session }: DrainDeps,
  name: string,
  policy: DrainPolicy,
  signal: AbortSignal,
  warn: (line: string) => void,
): Promise<readonly JsonObject[]> {
  const query = new URLSearchParams({ fieldSelector: `spec.nodeName=${name}` });
  const pods = objectsIn((await session.ask(`/api/v1/pods?${query.toString()}`, signal))['items']);
  const left = new Map<string, string[]>();
  const refused = new Map<string, string[]>();
  const chosen = pods.filter((pod) => {
    const decision = drainDecision(pod, policy);
    if (decision.action === 'evict') return true;
    const list = decision.action === 'leave' ? left : refused;
    list.set(decision.reason, [...(list.get(decision.reason) ?? []), titleOf(pod)]);
    return false;
  });
  if (refused.size > 0) throw drainRefused({ name, reasons: linesOf(refused) });
  for (const line of linesOf(left)) warn(`ignoring ${line}`);
  return chosen;
}

function linesOf(pods: ReadonlyMap<string, readonly string[]>): readonly string[] {
  return [...pods].map(([reason, titles]) => `${reason}: ${titles.join(', ')}`);
}

async function endPod(
  deps: DrainDeps,
  pod: JsonObject,
  { graceSeconds }: DrainOptions,
  signal: AbortSignal,
): Promise<void> {
  const { session, clock, print, warn } = deps;
  const { namespace, name, uid } = objectAt(pod, 'metadata');
  const target = `/api/v1/namespaces/${textOf(namespace)}/pods/${textOf(name)}`;
  const body = {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { namespace: textOf(namespace), name: textOf(name) },
    ...(graceSeconds !== undefined && { deleteOptions: { gracePeriodSeconds: graceSeconds } }),
  };
  print(`evicting pod ${titleOf(pod)}`);
  for (;;) {
    try {
      await session.change({ method: 'POST', target: `${target}/eviction`, body }, signal);
      break;
    } catch (error) {
      if (isCode(error, 404)) return;
      if (!isBlocked(error)) throw error;
      // In a namespace that is being deleted the pod goes without an eviction.
      if (await isGone(session, target, uid, signal)) return;
      warn(`error when evicting pod ${titleOf(pod)} (will retry after 5s): ${error.message}`);
      await pauseFor(clock, RETRY_MS, signal);
    }
  }
  while (!(await isGone(session, target, uid, signal))) await pauseFor(clock, LOOK_MS, signal);
  print(`pod/${textOf(name)} evicted`);
}

async function isGone(
  session: DrainDeps['session'],
  target: string,
  uid: unknown,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    return objectAt(await session.ask(target, signal), 'metadata')['uid'] !== uid;
  } catch (error) {
    if (isCode(error, 404)) return true;
    throw error;
  }
}

/** A budget is used up, or the namespace is being deleted. */
function isBlocked(error: unknown): error is ApiError {
  if (isCode(error, 429)) return true;
  if (!(error instanceof ApiError) || error.statusCode !== 403) return false;
  return error.causes.some(({ reason }) => reason === 'NamespaceTerminating');
}

function isCode(error: unknown, code: number): boolean {
  return error instanceof ApiError && error.statusCode === code;
}

function titleOf(pod: JsonObject): string {
  const { namespace, name } = objectAt(pod, 'metadata');
  return `${textOf(namespace)}/${textOf(name)}`;
}

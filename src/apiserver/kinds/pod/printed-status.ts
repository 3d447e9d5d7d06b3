/**
 * What `kubectl get pods` says about a pod in one word, how many of its containers are ready, and
 * how often they were restarted.
 *
 *     the phase (or the status' own reason)
 *       <- SchedulingGated      while it waits at its gates
 *       <- Init:…               the first init container that holds it up
 *       <- CrashLoopBackOff …   what the last container in trouble says
 *       <- Terminating          once it is being deleted
 *
 * Each line overrides those above it. The word is for people: the phase alone hides too much.
 */
import type { JsonObject } from '../../../lib/json.ts';
import {
  isGiven,
  readNumber,
  readObject,
  readObjects,
  readStruct,
  readText,
} from '../validation/json-reading.ts';

export interface PrintedStatus {
  readonly word: string;
  readonly ready: number;
  readonly total: number;
  readonly restarts: number;
  /** When the last of them was, as the API says it; empty if nobody knows. */
  readonly restartedAt: string;
}

/** What one look at some containers adds up to. */
interface Tally {
  readonly word?: string;
  readonly ready: number;
  readonly restarts: number;
  readonly restartedAt: string;
}

export function printStatus(pod: JsonObject): PrintedStatus {
  const [spec, status] = [readStruct(pod['spec']), readStruct(pod['status'])];
  const sidecars = new Set(
    readObjects(spec['initContainers'])
      .filter(({ restartPolicy }) => restartPolicy === 'Always')
      .map(({ name }) => readText(name)),
  );
  const total = readObjects(spec['containers']).length + sidecars.size;
  const init = lookAtInitContainers(spec, status, sidecars);
  const start = init.all.word ?? wordOfPod(status);
  const isRunning = init.all.word === undefined || isTrue(status, 'Initialized');
  const tally = isRunning
    ? lookAtContainers(status, start, init.sidecars)
    : { ...init.all, word: start };
  return {
    ready: isRunning ? tally.ready + init.all.ready : init.all.ready,
    total,
    restarts: tally.restarts,
    restartedAt: tally.restartedAt,
    word: wordOfDeletion(pod, status) ?? tally.word ?? start,
  };
}

function wordOfPod(status: JsonObject): string {
  const isGated = readObjects(status['conditions']).some(
    ({ type, reason }) => type === 'PodScheduled' && reason === 'SchedulingGated',
  );
  if (isGated) return 'SchedulingGated';
  return readText(status['reason']) || readText(status['phase']);
}

function wordOfDeletion(pod: JsonObject, status: JsonObject): string | undefined {
  if (!isGiven(readStruct(pod['metadata'])['deletionTimestamp'])) return undefined;
  // The node has not been heard of: nobody knows whether the pod is ending.
  if (status['reason'] === 'NodeLost') return 'Unknown';
  const { phase } = status;
  return phase === 'Succeeded' || phase === 'Failed' ? undefined : 'Terminating';
}

/** Goes through them until one holds up the others. Sidecars count on, the others only until then. */
function lookAtInitContainers(
  spec: JsonObject,
  status: JsonObject,
  sidecars: ReadonlySet<string>,
): { readonly all: Tally; readonly sidecars: Tally } {
  let all: Tally = { ready: 0, restarts: 0, restartedAt: '' };
  let ofSidecars: Tally = all;
  for (const [index, container] of readObjects(status['initContainerStatuses']).entries()) {
    const isSidecar = sidecars.has(readText(container['name']));
    all = countRestarts(all, container);
    if (isSidecar) ofSidecars = countRestarts(ofSidecars, container);
    const { terminated } = readStruct(container['state']);
    if (isGiven(terminated) && readNumber(readStruct(terminated)['exitCode']) === 0) continue;
    if (isSidecar && container['started'] === true) {
      if (container['ready'] === true) all = { ...all, ready: all.ready + 1 };
      continue;
    }
    const progress = `${index}/${readObjects(spec['initContainers']).length}`;
    all = { ...all, word: `Init:${wordOfInit(container) ?? progress}` };
    break;
  }
  return { all, sidecars: ofSidecars };
}

function wordOfInit(container: JsonObject): string | undefined {
  const { terminated, waiting } = readStruct(container['state']);
  if (isGiven(terminated)) return wordOfEnd(readStruct(terminated));
  const reason = readText(readStruct(waiting)['reason']);
  return reason === '' || reason === 'PodInitializing' ? undefined : reason;
}

/** From the last container to the first, so that the first one in trouble has the last word. */
function lookAtContainers(status: JsonObject, start: string, sidecars: Tally): Tally {
  let tally: Tally = { ...sidecars, word: start, ready: 0 };
  let failure = '';
  let hasRunning = false;
  for (const container of readObjects(status['containerStatuses']).toReversed()) {
    tally = countRestarts(tally, container);
    const { waiting, terminated, running } = readStruct(container['state']);
    const reason = readText(readStruct(waiting)['reason']);
    if (reason !== '') tally = { ...tally, word: reason };
    else if (isGiven(terminated)) {
      const word = wordOfEnd(readStruct(terminated));
      tally = { ...tally, word };
      if (readNumber(readStruct(terminated)['exitCode']) !== 0) failure = word;
    } else if (container['ready'] === true && isGiven(running)) {
      hasRunning = true;
      tally = { ...tally, ready: tally.ready + 1 };
    }
  }
  if (tally.word !== 'Completed') return tally;
  return { ...tally, word: wordOfCompleted(status, hasRunning, failure) };
}

/** One container is done. That is not what matters about the pod if others run, or failed. */
function wordOfCompleted(status: JsonObject, hasRunning: boolean, failure: string): string {
  if (hasRunning && isTrueSomewhere(status, 'Ready')) return 'Running';
  if (failure !== '') return failure;
  return hasRunning ? 'NotReady' : 'Completed';
}

function wordOfEnd(terminated: JsonObject): string {
  const reason = readText(terminated['reason']);
  if (reason !== '') return reason;
  const signal = readNumber(terminated['signal']);
  return signal === 0 ? `ExitCode:${readNumber(terminated['exitCode'])}` : `Signal:${signal}`;
}

function countRestarts(tally: Tally, container: JsonObject): Tally {
  const last = readObject(readStruct(container['lastState'])['terminated']);
  const finishedAt = readText(last?.['finishedAt']);
  return {
    ...tally,
    restarts: tally.restarts + readNumber(container['restartCount']),
    // Times in UTC with whole seconds: the later text is the later time.
    restartedAt: finishedAt > tally.restartedAt ? finishedAt : tally.restartedAt,
  };
}

/** The first condition of that type decides. */
function isTrue(status: JsonObject, type: string): boolean {
  const condition = readObjects(status['conditions']).find((one) => one['type'] === type);
  return condition?.['status'] === 'True';
}

function isTrueSomewhere(status: JsonObject, type: string): boolean {
  return readObjects(status['conditions']).some(
    (one) => one['type'] === type && one['status'] === 'True',
  );
}

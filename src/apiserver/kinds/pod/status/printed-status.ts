/**
 * Computes the columns STATUS, READY and RESTARTS of `kubectl get pods`.
 *
 *     the phase (or status.reason)
 *       <- SchedulingGated      while it has scheduling gates
 *       <- Init:…               the first init container that blocks the pod
 *       <- CrashLoopBackOff …   the reason of the first container with a problem
 *       <- Terminating          when the pod is being deleted
 *
 * Each line overrides those above it. STATUS is for people: the phase alone hides too much.
 */
import type { JsonObject } from '../../../../lib/json.ts';
import {
  isGiven,
  readNumber,
  readObject,
  readObjects,
  readStruct,
  readText,
} from '../../../../api/validation/json-reading.ts';

export interface PrintedStatus {
  readonly status: string;
  readonly ready: number;
  readonly total: number;
  readonly restarts: number;
  /** The time of the last restart, as the API prints it. Empty: unknown. */
  readonly restartedAt: string;
}

/** Sums over several containers. */
interface Tally {
  readonly status?: string;
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
  const init = tallyInitContainers(spec, status, sidecars);
  const start = init.all.status ?? statusOfPod(status);
  const isRunning = init.all.status === undefined || isTrue(status, 'Initialized');
  const tally = isRunning
    ? tallyContainers(status, start, init.sidecars)
    : { ...init.all, status: start };
  return {
    ready: isRunning ? tally.ready + init.all.ready : init.all.ready,
    total,
    restarts: tally.restarts,
    restartedAt: tally.restartedAt,
    status: statusOfDeletion(pod, status) ?? tally.status ?? start,
  };
}

function statusOfPod(status: JsonObject): string {
  const isGated = readObjects(status['conditions']).some(
    ({ type, reason }) => type === 'PodScheduled' && reason === 'SchedulingGated',
  );
  if (isGated) return 'SchedulingGated';
  return readText(status['reason']) || readText(status['phase']);
}

function statusOfDeletion(pod: JsonObject, status: JsonObject): string | undefined {
  if (!isGiven(readStruct(pod['metadata'])['deletionTimestamp'])) return undefined;
  // The node is lost, so it is unknown whether the pod is terminating.
  if (status['reason'] === 'NodeLost') return 'Unknown';
  const { phase } = status;
  return phase === 'Succeeded' || phase === 'Failed' ? undefined : 'Terminating';
}

/** Visits init containers until one blocks the others. Sidecars are counted beyond that, too. */
function tallyInitContainers(
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
    all = { ...all, status: `Init:${statusOfInit(container) ?? progress}` };
    break;
  }
  return { all, sidecars: ofSidecars };
}

function statusOfInit(container: JsonObject): string | undefined {
  const { terminated, waiting } = readStruct(container['state']);
  if (isGiven(terminated)) return statusOfEnd(readStruct(terminated));
  const reason = readText(readStruct(waiting)['reason']);
  return reason === '' || reason === 'PodInitializing' ? undefined : reason;
}

/** From the last container to the first, so that the first one with a problem determines the result. */
function tallyContainers(status: JsonObject, start: string, sidecars: Tally): Tally {
  let tally: Tally = { ...sidecars, status: start, ready: 0 };
  let failure = '';
  let hasRunning = false;
  for (const container of readObjects(status['containerStatuses']).toReversed()) {
    tally = countRestarts(tally, container);
    const { waiting, terminated, running } = readStruct(container['state']);
    const reason = readText(readStruct(waiting)['reason']);
    if (reason !== '') tally = { ...tally, status: reason };
    else if (isGiven(terminated)) {
      const status = statusOfEnd(readStruct(terminated));
      tally = { ...tally, status };
      if (readNumber(readStruct(terminated)['exitCode']) !== 0) failure = status;
    } else if (container['ready'] === true && isGiven(running)) {
      hasRunning = true;
      tally = { ...tally, ready: tally.ready + 1 };
    }
  }
  if (tally.status !== 'Completed') return tally;
  return { ...tally, status: statusOfCompleted(status, hasRunning, failure) };
}

/** A completed container does not determine the status if others run or have failed. */
function statusOfCompleted(status: JsonObject, hasRunning: boolean, failure: string): string {
  if (hasRunning && isTrueSomewhere(status, 'Ready')) return 'Running';
  if (failure !== '') return failure;
  return hasRunning ? 'NotReady' : 'Completed';
}

function statusOfEnd(terminated: JsonObject): string {
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
    // Times are in UTC with whole seconds, so they compare as strings.
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

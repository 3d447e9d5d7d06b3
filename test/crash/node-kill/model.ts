/**
 * The allowed states of pods whose podkeep is killed, from the ledger alone.
 *
 * Checked for every status:
 *   1. An exit code is the one in the ledger. Only a container that was asked to stop before it could
 *      write its first line shows that of SIGTERM instead, and one that never ran before its pod was
 *      deleted is `ContainerStatusUnknown` (SM-42).
 *   2. Restart counts never decrease, and a ready pod stays ready, even from one podkeep to the next.
 * Checked in the ledger:
 *   3. No attempt runs twice, no two attempts run at once (ledger.ts).
 *   4. An attempt may be missing that was created and never started: a kill came between the two. So
 *      at most one for each kill that the pod has seen.
 *   5. All others have a line for their end, but for the one that runs: nothing here is ever ended with
 *      SIGKILL, for every container handles SIGTERM and has a long grace period.
 */
import type { ContainerRun, Ledger } from './ledger.ts';
import { ENOUGH, KIND_LABEL, TERM_CODE, type Kind } from './pods.ts';
import {
  containersOf,
  isReady,
  uidOf,
  type ContainerView,
  type Ended,
  type PodView,
} from './pod-view.ts';

const TERMINATED_BY_SIGNAL = 143;
const UNKNOWN = 'ContainerStatusUnknown';
const LASTING: ReadonlySet<string> = new Set(['lasting', 'initialized', 'hooked', 'configured']);

export interface Circumstances {
  /** How often podkeep was killed since the pod was created. */
  readonly kills: number;
}

export class Model {
  readonly #counts = new Map<string, number>();
  readonly #ready = new Set<string>();
  readonly #faults = new Set<string>();

  get faults(): readonly string[] {
    return [...this.#faults];
  }

  /** `ledger` was read after the status. */
  observe(pod: PodView, ledger: Ledger, isStopping: boolean): void {
    for (const fault of ledger.faults) this.#faults.add(fault);
    for (const container of containersOf(pod)) this.#observe(pod, container, ledger, isStopping);
    const uid = uidOf(pod);
    if (isStopping || !LASTING.has(kindOf(pod))) return;
    if (isReady(pod)) this.#ready.add(uid);
    else if (this.#ready.has(uid)) this.#fault(pod, 'is not ready any more', pod.status.conditions);
  }

  #observe(pod: PodView, container: ContainerView, ledger: Ledger, isStopping: boolean): void {
    const { name, restartCount: attempt, state, lastState } = container;
    const uid = uidOf(pod);
    const key = `${uid}/${name}`;
    const before = this.#counts.get(key) ?? 0;
    if (attempt < before)
      this.#fault(pod, `${name} was restarted ${before} times before`, container);
    this.#counts.set(key, Math.max(before, attempt));
    const own = ledger.run(uid, name, attempt);
    const earlier = ledger.runs(uid, name).findLast((run) => run.attempt < attempt);
    const mayBeAsked = isStopping || isOver(ledger, uid, name);
    if (state.terminated && !isRight(state.terminated, [own], mayBeAsked)) {
      this.#fault(pod, `${name} ended otherwise`, container, own);
    }
    // While it waits for its next run, and when it ends meanwhile, its last one has the same number.
    const candidates = state.running ? [earlier] : [own, earlier];
    if (lastState.terminated && !isRight(lastState.terminated, candidates, mayBeAsked)) {
      this.#fault(pod, `${name} had ended otherwise`, container, candidates);
    }
  }

  #fault(pod: PodView, text: string, ...evidence: readonly unknown[]): void {
    this.#faults.add(`${pod.metadata.name}: ${text}: ${JSON.stringify(evidence)}`);
  }
}

export function kindOf({ metadata }: PodView): Kind {
  return (metadata.labels?.[KIND_LABEL] ?? 'lasting') as Kind;
}

/** A sidecar is asked to stop when its main container has ended. */
function isOver(ledger: Ledger, uid: string, name: string): boolean {
  return name === 'side' && ledger.runs(uid, 'main').some(({ endedAt }) => endedAt !== undefined);
}

function isRight(
  { exitCode, reason }: Ended,
  runs: readonly (ContainerRun | undefined)[],
  mayBeAsked: boolean,
): boolean {
  if (runs.some((run) => run?.code === exitCode)) return true;
  if (!mayBeAsked || !runs.includes(undefined)) return false;
  return exitCode === TERMINATED_BY_SIGNAL || reason === UNKNOWN;
}

/** What has not converged yet of a pod whose deletion was not requested. */
export function unsettled(
  pod: PodView,
  ledger: Ledger,
  { kills }: Circumstances,
): readonly string[] {
  const uid = uidOf(pod);
  const problems: string[] = [];
  for (const { name, restartCount } of containersOf(pod)) {
    const runs = ledger.runs(uid, name);
    const missing = restartCount + 1 - runs.length;
    const isSilent = runs.length === 0 && name === 'side' && isOver(ledger, uid, name);
    if (missing > kills + (isSilent ? 1 : 0))
      problems.push(`${missing} runs of ${name} are missing`);
    if (runs.some((run) => run.attempt > restartCount)) problems.push(`${name} ran more often`);
    const open = runs.slice(0, -1).filter(({ endedAt }) => endedAt === undefined);
    if (open.length > 0) problems.push(`attempt ${open[0]?.attempt} of ${name} has no end`);
  }
  problems.push(...ENDINGS[kindOf(pod)](pod, ledger, uid));
  return problems.map((text) => `${pod.metadata.name} ${uid} (${kindOf(pod)}): ${text}`);
}

type Check = (pod: PodView, ledger: Ledger, uid: string) => readonly string[];

const ENDINGS: Readonly<Record<Kind, Check>> = {
  lasting: runsOnce,
  hooked: runsOnce,
  configured: runsOnce,
  initialized: (pod, ledger, uid) => [...runsOnce(pod, ledger, uid), ...inOrder(pod, ledger, uid)],
  ending: hasEnded,
  retried: (pod, ledger, uid) => {
    const runs = ledger.runs(uid, 'main');
    const good = runs.filter(({ code }) => code === 0);
    return [
      ...check(pod.status.phase === 'Succeeded', `phase ${pod.status.phase}`),
      ...check(good.length === 1 && runs.at(-1) === good[0], 'it has not ended well once, at last'),
      ...check((runs.at(-1)?.attempt ?? 0) >= (ENOUGH.retried ?? 0), 'it ended well too early'),
      ...check(mainOf(pod)?.restartCount === runs.at(-1)?.attempt, 'its count is another'),
    ];
  },
  crashing: (pod, ledger, uid) =>
    check(
      pod.status.phase === 'Running' && ledger.runs(uid, 'main').length > 1,
      'it does not crash',
    ),
  accompanied: (pod, ledger, uid) => [
    ...hasEnded(pod, ledger, uid),
    ...sidecarFollowed(pod, ledger, uid),
  ],
};

function mainOf(pod: PodView): ContainerView | undefined {
  return pod.status.containerStatuses?.[0];
}

function runsOnce(pod: PodView, ledger: Ledger, uid: string): readonly string[] {
  const runs = ledger.runs(uid, 'main');
  const main = mainOf(pod);
  return [
    ...check(
      pod.status.phase === 'Running' && isReady(pod),
      `phase ${pod.status.phase}, not ready`,
    ),
    ...check(main?.state.running !== undefined, 'main does not run'),
    ...check(runs.length === 1 && runs[0]?.endedAt === undefined, `main ran ${runs.length} times`),
    ...check(main?.restartCount === runs[0]?.attempt, `count ${main?.restartCount}`),
  ];
}

function hasEnded(pod: PodView, ledger: Ledger, uid: string): readonly string[] {
  const [run, ...more] = ledger.runs(uid, 'main');
  const main = mainOf(pod);
  return [
    ...check(pod.status.phase === 'Failed', `phase ${pod.status.phase}`),
    ...check(run !== undefined && more.length === 0, `main ran ${more.length + 1} times`),
    ...check(main?.state.terminated?.exitCode === run?.code, 'its exit code is another'),
    ...check(main?.restartCount === run?.attempt, `count ${main?.restartCount}`),
  ];
}

function inOrder(pod: PodView, ledger: Ledger, uid: string): readonly string[] {
  const first = ledger.runs(uid, 'first');
  const second = ledger.runs(uid, 'second');
  const [main] = ledger.runs(uid, 'main');
  const good = [...first, ...second].filter(({ code }) => code === 0);
  const isAfter = (late?: ContainerRun, early?: ContainerRun): boolean =>
    (late?.startedAt ?? -1) > (early?.endedAt ?? Infinity);
  const ended = pod.status.initContainerStatuses?.map(({ state }) => state.terminated?.exitCode);
  return [
    ...check(
      good.length === 2 && second.length === 1,
      'an init container ended well twice, or never',
    ),
    ...check(isAfter(second[0], first.at(-1)) && isAfter(main, second[0]), 'out of order'),
    ...check(
      ended?.every((code) => code === 0) ?? false,
      `init containers ended with ${ended?.join()}`,
    ),
  ];
}

function sidecarFollowed(pod: PodView, ledger: Ledger, uid: string): readonly string[] {
  const [side, ...more] = ledger.runs(uid, 'side');
  const [main] = ledger.runs(uid, 'main');
  const ended = pod.status.initContainerStatuses?.[0]?.state.terminated?.exitCode;
  if (!side) return check(ended === TERMINATED_BY_SIGNAL, `side never ran and ended with ${ended}`);
  return [
    ...check(more.length === 0 && side.code === TERM_CODE, `side ended with ${side.code}`),
    ...check((side.endedAt ?? -1) > (main?.endedAt ?? Infinity), 'side ended before main'),
    ...check(ended === TERM_CODE, `the code of side is ${ended}`),
  ];
}

/** What has not converged yet of a pod that was deleted and is kept by its finalizer. */
export function unfinished(
  pod: PodView,
  ledger: Ledger,
  { kills }: Circumstances,
): readonly string[] {
  const uid = uidOf(pod);
  const { phase } = pod.status;
  const preStops = ledger.preStops(uid, 'main');
  const problems = [
    ...check(phase === 'Succeeded' || phase === 'Failed', `phase ${phase}`),
    ...check(pod.metadata.deletionGracePeriodSeconds === 0, 'podkeep has not let it go'),
    ...check(preStops.length <= kills + 1, `its hook ran ${preStops.length} times`),
  ];
  for (const { name, restartCount, state } of containersOf(pod)) {
    const runs = ledger.runs(uid, name);
    const open = runs.filter(({ endedAt }) => endedAt === undefined);
    if (open.length > 0) problems.push(`attempt ${open[0]?.attempt} of ${name} has no end`);
    const wasHeard = runs.some(({ attempt }) => attempt === restartCount);
    if (wasHeard && !state.terminated) problems.push(`${name} is not shown as ended`);
    // One more than kills: it may be stopped before it has written its first line.
    if (restartCount + 1 - runs.length > kills + 1) problems.push(`runs of ${name} are missing`);
  }
  if (kindOf(pod) === 'hooked') {
    const [{ askedAt } = { askedAt: undefined }] = ledger.runs(uid, 'main');
    const hasHook = askedAt === undefined || preStops.some((place) => place < askedAt);
    problems.push(...check(hasHook, 'it was stopped before its hook'));
  }
  return problems.map((text) => `${pod.metadata.name} ${uid} (${kindOf(pod)}, deleted): ${text}`);
}

function check(isFine: boolean, problem: string): readonly string[] {
  return isFine ? [] : [problem];
}

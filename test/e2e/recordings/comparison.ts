/**
 * How two lives of a pod differ.
 *
 * The final status has to be the same, and on the way to it only stages that the kubelet reported may
 * occur, in its order. Short stages may be missing: a status that lasts no longer than a write takes is
 * not written.
 *
 * Loops have no final status. Their containers have to go through the same states in the same order, and
 * to get at least as far as the recorded ones did in the time. Each kind of step occurs at least once,
 * with the status that the kubelet reported at it.
 */
import type { Difference } from './difference.ts';
import type { Life, RecordedLife, LifeStage } from './life.ts';

export interface Comparison {
  /** Empty: both are the same. */
  readonly unexplained: readonly string[];
  readonly used: readonly Difference[];
}

export function compareLives(
  recorded: RecordedLife,
  lived: Life,
  isLoop: boolean,
  expected: readonly Difference[],
): Comparison {
  const reader = new Reader(expected);
  const ours: Life = {
    ...lived,
    stages: lived.stages.map((lifeStage) => lifeStage.flatMap((line) => reader.read(line))),
    steps: lived.steps.map((step) => reader.readStep(step)),
    events: lived.events.flatMap((line) => reader.read(line)),
  };
  const course = isLoop
    ? [...compareSteps(recorded, ours), ...strangersInLoop(recorded, ours)]
    : compareStages(recorded, ours);
  const events = recorded.events.filter((line) => !reader.isLeftOut(line));
  const unexplained = [...course, ...differing(events, ours.events)];
  if (recorded.isGone !== ours.isGone) unexplained.push(`+ gone = ${ours.isGone}`);
  return { unexplained, used: reader.used };
}

/** Reads our lines as the kubelet's, where a difference is expected. */
class Reader {
  readonly #expected: readonly Difference[];
  readonly #used = new Set<Difference>();

  constructor(expected: readonly Difference[]) {
    this.#expected = expected;
  }

  get used(): readonly Difference[] {
    return [...this.#used];
  }

  /** Nothing, where the kubelet would report nothing. */
  read(line: string): readonly string[] {
    const found = this.#expected.find(
      ({ path, podkeep }) =>
        podkeep !== null && hasPath(line, path) && line.endsWith(` = ${JSON.stringify(podkeep)}`),
    );
    if (!found) return [line];
    this.#used.add(found);
    return found.kubelet === null ? [] : [`${found.path} = ${JSON.stringify(found.kubelet)}`];
  }

  /** Whether the kubelet reports it, and we do not. */
  isLeftOut(line: string): boolean {
    const found = this.#expected.find(
      ({ path, kubelet, podkeep }) =>
        podkeep === null && line === `${path} = ${JSON.stringify(kubelet)}`,
    );
    if (found) this.#used.add(found);
    return found !== undefined;
  }

  readStep(step: string): string {
    return this.#expected.reduce((text, difference) => {
      const { kubelet, podkeep } = difference;
      if (typeof podkeep !== 'string' || typeof kubelet !== 'string') return text;
      if (!text.includes(podkeep)) return text;
      this.#used.add(difference);
      return text.replace(podkeep, () => kubelet);
    }, step);
  }
}

function hasPath(line: string, path: string): boolean {
  const [given = ''] = line.split(' = ');
  return path.startsWith('*') ? given.endsWith(path.slice(1)) : given === path;
}

function compareStages(recorded: RecordedLife, ours: Life): readonly string[] {
  const last = differing(recorded.stages.at(-1) ?? [], ours.stages.at(-1) ?? []);
  if (last.length > 0) return last;
  const strange = strangers(recorded.stages, ours.stages);
  if (strange.length > 0) return strange;
  const missed = recorded.lasting.find(
    (lifeStage) => !ours.stages.some((each) => isSame(lifeStage, each)),
  );
  return missed ? ['a stage that only the kubelet showed:', ...missed] : [];
}

/** The first of our stages that has no place in the order of the recorded ones. */
function strangers(recorded: readonly LifeStage[], ours: readonly LifeStage[]): readonly string[] {
  let next = 0;
  for (const lifeStage of ours) {
    const at = recorded.findIndex((each, index) => index >= next && isSame(each, lifeStage));
    if (at === -1) {
      const difference = differing(recorded[next] ?? [], lifeStage);
      return [`a stage that the kubelet did not show, after ${next} of its own:`, ...difference];
    }
    next = at;
  }
  return [];
}

/**
 * The end of a pod is written in two steps if the API is quick: the phase, and why, waits until the
 * worker has seen that nothing runs any more (SM-84), and the rest does not wait for it.
 */
function isSame(recorded: LifeStage, ours: LifeStage): boolean {
  return differing(recorded, ours).every((line) => /^[+-] (?:phase|reason|message) = /.test(line));
}

function compareSteps(recorded: RecordedLife, ours: Life): readonly string[] {
  const { steps, stepsEarly } = recorded;
  let reached = -1;
  for (const step of ours.steps) {
    if (reached === steps.length - 1) break;
    const at = steps.indexOf(step, reached + 1);
    if (at === -1) return [`+ ${step}`, `- ${steps[reached + 1]}`, '  of', ...ours.steps];
    reached = at;
  }
  const missing = steps.slice(reached + 1, stepsEarly);
  const shown = new Set(ours.steps.map(kindOf));
  const never = steps.slice(0, stepsEarly).filter((step) => !shown.has(kindOf(step)));
  return [...missing, ...never].map((step) => `- ${step}`);
}

/**
 * For containers in the state of some recorded stage, the rest of the stage is that of one of those too.
 * Loops pass the same stages in another order, so the order does not count.
 */
function strangersInLoop(recorded: Life, ours: Life): readonly string[] {
  for (const lifeStage of ours.stages) {
    const place = placeOf(lifeStage);
    const there = recorded.stages.filter((each) => placeOf(each) === place);
    const [first] = there;
    if (first && !there.some((each) => isSame(each, lifeStage))) {
      return ['a stage that the kubelet did not show:', ...differing(first, lifeStage)];
    }
  }
  return [];
}

/** The states of all containers, and their restart counts. */
function placeOf(lifeStage: LifeStage): string {
  return lifeStage
    .filter((line) =>
      /^(?:containerS|initContainerS)tatuses\.\d+\.(?:state\.|restartCount)/.test(line),
    )
    .join('\n');
}

/** Without restart counts and back-off times. */
function kindOf(step: string): string {
  return step.replace(/:\d+$/, '').replace(/\bback-off \S+/, 'back-off');
}

function differing(recorded: readonly string[], ours: readonly string[]): readonly string[] {
  return [
    ...recorded.filter((line) => !ours.includes(line)).map((line) => `- ${line}`),
    ...ours.filter((line) => !recorded.includes(line)).map((line) => `+ ${line}`),
  ];
}

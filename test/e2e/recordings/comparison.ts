/**
 * What one life says and the other does not.
 *
 * The final word has to be the same, and on the way to it nothing may be said that the kubelet did not
 * say, in its order. Stages may be left out if they were short: what lasts no longer than a write takes is
 * not written.
 *
 * Loops have no final word. The order of what their containers were at has to be the same, and they have
 * to get at least as far as the recorded ones did in the time. Each kind of step is seen at least once, and
 * what is said at it is what the kubelet said at it.
 */
import type { Difference } from './difference.ts';
import type { Life, RecordedLife, Stage } from './life.ts';

export interface Comparison {
  /** Nothing: both say the same. */
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
    stages: lived.stages.map((stage) => stage.flatMap((line) => reader.read(line))),
    steps: lived.steps.map((step) => reader.readStep(step)),
    events: lived.events.flatMap((line) => reader.read(line)),
  };
  const course = isLoop
    ? [...compareSteps(recorded, ours), ...strangersInLoop(recorded, ours)]
    : compareStages(recorded, ours);
  const unexplained = [...course, ...differing(recorded.events, ours.events)];
  if (recorded.isGone !== ours.isGone) unexplained.push(`+ gone = ${ours.isGone}`);
  return { unexplained, used: reader.used };
}

/** Reads our lines as the kubelet's, where that is expected. */
class Reader {
  readonly #expected: readonly Difference[];
  readonly #used = new Set<Difference>();

  constructor(expected: readonly Difference[]) {
    this.#expected = expected;
  }

  get used(): readonly Difference[] {
    return [...this.#used];
  }

  /** Nothing, where the kubelet would say nothing. */
  read(line: string): readonly string[] {
    const found = this.#expected.find(
      ({ path, podkeep }) => hasPath(line, path) && line.endsWith(` = ${JSON.stringify(podkeep)}`),
    );
    if (!found) return [line];
    this.#used.add(found);
    return found.kubelet === null ? [] : [`${found.path} = ${JSON.stringify(found.kubelet)}`];
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
  const [said = ''] = line.split(' = ');
  return path.startsWith('*') ? said.endsWith(path.slice(1)) : said === path;
}

function compareStages(recorded: RecordedLife, ours: Life): readonly string[] {
  const last = differing(recorded.stages.at(-1) ?? [], ours.stages.at(-1) ?? []);
  if (last.length > 0) return last;
  const strange = strangers(recorded.stages, ours.stages);
  if (strange.length > 0) return strange;
  const missed = recorded.lasting.find((stage) => !ours.stages.some((each) => isSame(stage, each)));
  return missed ? ['a stage that only the kubelet showed:', ...missed] : [];
}

/** The first of our stages that has no place in the order of the recorded ones. */
function strangers(recorded: readonly Stage[], ours: readonly Stage[]): readonly string[] {
  let next = 0;
  for (const stage of ours) {
    const at = recorded.findIndex((each, index) => index >= next && isSame(each, stage));
    if (at === -1) {
      const difference = differing(recorded[next] ?? [], stage);
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
function isSame(recorded: Stage, ours: Stage): boolean {
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
 * Where containers are at what they were at in some recorded stage, the rest of the stage is that of one
 * of those too. Loops come by the same stages in another order, so that does not count.
 */
function strangersInLoop(recorded: Life, ours: Life): readonly string[] {
  for (const stage of ours.stages) {
    const place = placeOf(stage);
    const there = recorded.stages.filter((each) => placeOf(each) === place);
    const [first] = there;
    if (first && !there.some((each) => isSame(each, stage))) {
      return ['a stage that the kubelet did not show:', ...differing(first, stage)];
    }
  }
  return [];
}

/** What all containers are at, and how often they ran. */
function placeOf(stage: Stage): string {
  return stage
    .filter((line) =>
      /^(?:containerS|initContainerS)tatuses\.\d+\.(?:state\.|restartCount)/.test(line),
    )
    .join('\n');
}

/** Without the times that it happened, and how long they are waited for. */
function kindOf(step: string): string {
  return step.replace(/:\d+$/, '').replace(/\bback-off \S+/, 'back-off');
}

function differing(recorded: readonly string[], ours: readonly string[]): readonly string[] {
  return [
    ...recorded.filter((line) => !ours.includes(line)).map((line) => `- ${line}`),
    ...ours.filter((line) => !recorded.includes(line)).map((line) => `+ ${line}`),
  ];
}

/**
 * What a pod's life said, as lines: one for each value of each status, and one for each event.
 *
 * A recorded life and one of ours are the same when their lines are. Where a line is expected to
 * differ (differences.ts), ours is read as the kubelet's, and only if it says exactly what was expected.
 */
import type { PodStatus } from '../../../src/api/pod.ts';
import type { Recording } from '../../kubelet/runs/recorded-life.ts';
import { canonical, distinct, loopStep, stageOf } from '../../kubelet/runs/stages.ts';
import type { SeenPod } from '../support/pod-watch.ts';

export interface Life {
  /** Every status that differs from the one before, as its lines. */
  readonly stages: readonly Stage[];
  /** What each container was at, for loops. */
  readonly steps: readonly string[];
  /** How many of them were taken in the time for which loops are watched. */
  readonly stepsEarly: number;
  readonly events: readonly string[];
  readonly isGone: boolean;
}

export type Stage = readonly string[];

export interface ToldEvent {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly fieldPath?: string | undefined;
}

/** Loops are watched for so many seconds. */
export function recordedLife({ history, events }: Recording, seconds: number): Life {
  const statuses = history.map(({ status }) => status);
  const early = history.filter((entry) => (entry as unknown as { after: number }).after <= seconds);
  return {
    stages: stagesOf(statuses),
    steps: stepsOf(statuses),
    stepsEarly: stepsOf(early.map(({ status }) => status)).length,
    events: eventLines(events),
    isGone: history.at(-1)?.type === 'DELETED',
  };
}

/** As whom the processes of containers run that do not say. */
export interface Runner {
  readonly uid: number;
  readonly gid: number;
}

export function livedLife(
  seen: readonly SeenPod[],
  events: readonly ToldEvent[],
  runner?: Runner,
): Life {
  const uid = uidOf(seen);
  const statuses = seen.map(({ object }) => stageOf(object.status ?? {}, uid));
  const ips = new Set(seen.flatMap(({ object }) => object.status?.podIP ?? []));
  const plain = (message: string): string =>
    [...ips].reduce((text, ip) => text.replaceAll(ip, '<ip>'), message.replaceAll(uid, '<uid>'));
  const stages = stagesOf(statuses);
  const steps = stepsOf(statuses);
  return {
    stages: runner
      ? stages.map((stage) => stage.map((line) => withoutRunner(line, runner)))
      : stages,
    steps,
    stepsEarly: steps.length,
    events: eventLines(events.map((each) => ({ ...each, message: plain(each.message) }))),
    isGone: seen.at(-1)?.type === 'DELETED',
  };
}

/** The UID of a static pod; its mirror has another one. */
function uidOf([first]: readonly SeenPod[]): string {
  const { uid = '', annotations = {} } = first?.object.metadata ?? {};
  return annotations['kubernetes.io/config.mirror'] ?? uid;
}

function withoutRunner(line: string, { uid, gid }: Runner): string {
  return line
    .replace(`.user.linux.uid = ${uid}`, '.user.linux.uid = "<uid>"')
    .replace(`.user.linux.gid = ${gid}`, '.user.linux.gid = "<gid>"');
}

function stagesOf(statuses: readonly PodStatus[]): readonly Stage[] {
  return distinct(statuses.map((status) => linesOf('', canonical(status))));
}

function stepsOf(statuses: readonly PodStatus[]): readonly string[] {
  return distinct(statuses.map(loopStep)).filter((step) => step !== '');
}

/** `phase = "Running"`, `containerStatuses.0.ready = true`. */
function linesOf(path: string, value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [`${path} = ${JSON.stringify(value)}`];
  return Object.entries(value).flatMap(([key, each]) =>
    linesOf(path === '' ? key : `${path}.${key}`, each),
  );
}

/** `event Warning Failed spec.containers{main} = "Error: ErrImagePull"`. */
function eventLines(events: readonly ToldEvent[]): readonly string[] {
  const lines = events.map(({ type, reason, fieldPath = '', message }) => {
    const words = message.replace(/\b[0-9a-f]{32}\b/, '<uid>');
    return `event ${type} ${reason} ${fieldPath} = ${JSON.stringify(words)}`;
  });
  return [...new Set(lines)].toSorted();
}

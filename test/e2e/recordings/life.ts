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
  readonly events: readonly string[];
  readonly isGone: boolean;
}

export interface RecordedLife extends Life {
  /** Stages that lasted too long to be missed. */
  readonly lasting: readonly Stage[];
  /** How many steps were taken in the time for which loops are watched. */
  readonly stepsEarly: number;
}

export type Stage = readonly string[];

export interface ToldEvent {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly fieldPath?: string | undefined;
}

/** One moment of a life, as a watch saw it. */
interface Moment {
  readonly status: PodStatus;
  readonly isDeleting: boolean;
}

const LASTING_SECONDS = 2;

/** Loops are watched for so many seconds. */
export function recordedLife({ history, events }: Recording, seconds: number): RecordedLife {
  const moments = history.map(({ status, deleting = false, after }) => {
    return { status, isDeleting: deleting, after };
  });
  const early = moments.filter(({ after }) => after <= seconds);
  const lasting = moments.filter(({ after }, index) => {
    return (moments[index + 1]?.after ?? after) - after >= LASTING_SECONDS;
  });
  return {
    stages: stagesOf(moments),
    lasting: stagesOf(lasting),
    steps: stepsOf(moments),
    stepsEarly: stepsOf(early).length,
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
  const moments = seen.map(({ type, object }) => ({
    status: stageOf(object.status ?? {}, uid),
    // A server may take away at once what nothing holds, without a mark before it.
    isDeleting: type === 'DELETED' || object.metadata.deletionTimestamp !== undefined,
  }));
  const ips = new Set(seen.flatMap(({ object }) => object.status?.podIP ?? []));
  const plain = (message: string): string =>
    [...ips].reduce((text, ip) => text.replaceAll(ip, '<ip>'), message.replaceAll(uid, '<uid>'));
  const stages = stagesOf(moments);
  return {
    stages: runner
      ? stages.map((stage) => stage.map((line) => withoutRunner(line, runner)))
      : stages,
    steps: stepsOf(moments),
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

function stagesOf(moments: readonly Moment[]): readonly Stage[] {
  return distinct(
    moments.map(({ status, isDeleting }) => [
      ...(isDeleting ? ['deleting = true'] : []),
      ...linesOf('', canonical(status)),
    ]),
  );
}

function stepsOf(moments: readonly Moment[]): readonly string[] {
  return distinct(moments.map(({ status }) => loopStep(status))).filter((step) => step !== '');
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

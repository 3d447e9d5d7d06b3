/**
 * A pod's life as lines: one for each value of each status, and one for each event.
 *
 * A recorded life and one of ours are the same when their lines are. Where a line is expected to differ
 * (differences.ts), ours is read as the kubelet's, but only if it is exactly the expected one.
 */
import type { PodStatus } from '../../../src/api/pod.ts';
import type { Recording } from '../../kubelet/runs/recorded-life.ts';
import { canonical, distinct, loopStep, harnessOf } from '../../kubelet/runs/stages.ts';
import type { SeenPod } from '../support/pod-watch.ts';

export interface Life {
  /** Every status that differs from the one before, as its lines. */
  readonly stages: readonly LifeStage[];
  /** The states of each container, for loops. */
  readonly steps: readonly string[];
  readonly events: readonly string[];
  readonly isGone: boolean;
}

export interface RecordedLife extends Life {
  /** Stages that lasted too long to be missed. */
  readonly lasting: readonly LifeStage[];
  /** How many steps were taken in the time for which loops are watched. */
  readonly stepsEarly: number;
}

export type LifeStage = readonly string[];

export interface RecordedEvent {
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

/** The user of containers without runAsUser. */
export interface Runner {
  readonly uid: number;
  readonly gid: number;
}

export function livedLife(
  seen: readonly SeenPod[],
  events: readonly RecordedEvent[],
  runner?: Runner,
): Life {
  const uid = uidOf(seen);
  const moments = seen.map(({ type, object }) => ({
    status: harnessOf(object.status ?? {}, uid),
    // A server may delete an object without finalizers immediately, without a deletionTimestamp.
    isDeleting: type === 'DELETED' || object.metadata.deletionTimestamp !== undefined,
  }));
  const ips = new Set(seen.flatMap(({ object }) => object.status?.podIP ?? []));
  const plain = (message: string): string =>
    [...ips].reduce((text, ip) => text.replaceAll(ip, '<ip>'), message.replaceAll(uid, '<uid>'));
  const stages = stagesOf(moments);
  return {
    stages: runner
      ? stages.map((lifeStage) => lifeStage.map((line) => withoutRunner(line, runner)))
      : stages,
    steps: stepsOf(moments),
    events: eventLines(
      events.filter(isOfKubelet).map((each) => ({ ...each, message: plain(each.message) })),
    ),
    isGone: seen.at(-1)?.type === 'DELETED',
  };
}

/** podkeep has alerts, and the kubelet has none. */
function isOfKubelet({ reason }: RecordedEvent): boolean {
  return reason !== 'AlertFiring' && reason !== 'AlertResolved';
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

function stagesOf(moments: readonly Moment[]): readonly LifeStage[] {
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
function eventLines(events: readonly RecordedEvent[]): readonly string[] {
  const lines = events.map(({ type, reason, fieldPath = '', message }) => {
    const words = message.replace(/\b[0-9a-f]{32}\b/, '<uid>');
    return `event ${type} ${reason} ${fieldPath} = ${JSON.stringify(words)}`;
  });
  return [...new Set(lines)].toSorted();
}

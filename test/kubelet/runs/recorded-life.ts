/**
 * A recorded life of a pod under the kubelet of Kubernetes v1.36, played on a whole virtual node.
 *
 * Podkeep is quicker, and shows the reason of a waiting container the whole time. So in loops only the
 * order of states has to agree; in all other lives every stage, word by word.
 */
import type { Pod, PodStatus } from '../../../src/api/pod.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import type { RuntimeFaults } from '../../../src/runtimes/simulated/faults.ts';
import { NAMESPACE, VirtualNode } from '../node/virtual-node.ts';
import { recordedScripts } from './life-scripts.ts';
import { canonical, distinct, loopStep, harnessOf } from './stages.ts';

export interface Recording {
  readonly case: string;
  readonly pod: Pod & JsonObject;
  readonly deleteAfter: number | null;
  readonly history: readonly {
    readonly status: PodStatus;
    readonly type: string;
    readonly deleting?: boolean;
    /** Seconds since it was created. */
    readonly after: number;
  }[];
  readonly events: readonly RecordedEvent[];
}

interface RecordedEvent {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly fieldPath?: string;
  readonly count: number;
}

/** Both lives in the same form. */
export interface Comparison {
  readonly recorded: Life;
  readonly ours: Life;
}

export interface Life {
  /** In loops, as lines; otherwise statuses. */
  readonly stages: readonly unknown[];
  readonly events: readonly string[];
  readonly isGone: boolean;
}

const SECONDS = 110;
const GATE_AFTER_MS = 6000;
const STATIC_SECONDS = 100;

export async function liveAgain(recording: Recording): Promise<Comparison> {
  const node = await VirtualNode.open({
    nodeName: nodeOf(recording),
    scripts: recordedScripts(),
    images: ['docker.io/local/busy:1'],
    faults: unreachableRegistries,
    hasManifests: isStatic(recording),
  });
  try {
    await live(node, recording);
    return await compare(node, recording);
  } finally {
    await node.close();
  }
}

async function live(node: VirtualNode, recording: Recording): Promise<void> {
  const { pod, deleteAfter } = recording;
  const { cluster } = node;
  const { namespace = 'default' } = pod.metadata;
  if (!['default', NAMESPACE].includes(namespace)) await cluster.createNamespace(namespace);
  if (isStatic(recording)) {
    await node.setManifest('recorded.yaml', pod);
    await node.pass(STATIC_SECONDS * 1000);
    await node.setManifest('recorded.yaml', null);
    return node.pass(10_000);
  }
  const place = `${namespace}/${pod.metadata.name}`;
  await cluster.createPod({ ...pod, metadata: { ...pod.metadata, namespace } });
  const gates = pod.spec.readinessGates ?? [];
  if (gates.length > 0) {
    await node.pass(GATE_AFTER_MS);
    const conditions = gates.map(({ conditionType: type }) => ({ type, status: 'True' }));
    await cluster.patchStatus(place, { conditions });
  }
  if (deleteAfter !== null) {
    await node.pass(deleteAfter * 1000);
    await cluster.deletePod(place);
  }
  await node.pass(SECONDS * 1000);
}

async function compare(node: VirtualNode, recording: Recording): Promise<Comparison> {
  const name = nameOf(recording);
  const { namespace = 'default' } = recording.pod.metadata;
  const seen = node.cluster.seen.filter(({ pod }) => pod.metadata.name === name);
  const uid = uidOf(seen[0]?.pod);
  const notified = seen.map(({ pod }) => harnessOf(pod.status ?? {}, uid));
  const given = recording.history.map(({ status }) => status);
  const events = (await node.cluster.events(namespace)) as unknown as readonly ApiEvent[];
  return {
    recorded: {
      stages: isLoop(recording) ? distinct(given.map(loopStep)) : exactStages(given),
      events: eventLines(recording.events),
      isGone: recording.history.at(-1)?.type === 'DELETED',
    },
    ours: {
      stages: isLoop(recording) ? distinct(notified.map(loopStep)) : ourStages(notified, given),
      events: eventLines(
        events.map((event) => ({
          ...event,
          ...event.involvedObject,
          message: event.message.replaceAll(uid, '<uid>'),
        })),
      ),
      isGone: seen.at(-1)?.type === 'DELETED',
    },
  };
}

interface ApiEvent extends RecordedEvent {
  readonly involvedObject: { readonly fieldPath?: string };
}

function eventLines(events: readonly RecordedEvent[]): readonly string[] {
  const lines = events.map(({ type, reason, fieldPath, message }) =>
    [type, reason, fieldPath, message.replace(/\b[0-9a-f]{32}\b/, '<uid>')].join(' | '),
  );
  return [...new Set(lines)].toSorted();
}

function exactStages(given: readonly PodStatus[]): readonly unknown[] {
  return distinct(given.map(canonical));
}

/**
 * The end of a pod is written in two steps if the API is quick: the phase waits until the worker
 * has seen that nothing runs any more (SM-84), and the rest does not wait for it.
 */
function ourStages(
  notified: readonly PodStatus[],
  given: readonly PodStatus[],
): readonly unknown[] {
  const recorded = exactStages(given);
  const texts = new Set(recorded.map((lifeStage) => JSON.stringify(lifeStage)));
  const phaseless = new Set(recorded.map(withoutPhase));
  const ours = distinct(notified.map(canonical)).filter(
    (lifeStage) => texts.has(JSON.stringify(lifeStage)) || !phaseless.has(withoutPhase(lifeStage)),
  );
  return distinct(ours);
}

function withoutPhase(lifeStage: unknown): string {
  return JSON.stringify({ ...(lifeStage as PodStatus), phase: '' });
}

/** It restarts again and again, or pulls an image with back-off. */
export function isLoop({ history }: Recording): boolean {
  return history.some(({ status: { containerStatuses = [], initContainerStatuses = [] } }) =>
    [...initContainerStatuses, ...containerStatuses].some(
      ({ restartCount, state }) =>
        (restartCount ?? 0) > 1 || LOOPING.has(state?.waiting?.reason ?? ''),
    ),
  );
}

const LOOPING = new Set(['CrashLoopBackOff', 'ImagePullBackOff']);

/** No server answers at this address: images from there cannot be pulled. */
const unreachableRegistries: RuntimeFaults = (operation, image) => {
  if (operation !== 'pullImage' || !image.startsWith('127.0.0.1:1/')) return undefined;
  const [, name = '', tag = ''] = /^127\.0\.0\.1:1\/(.*):(.*)$/.exec(image) ?? [];
  const error =
    `failed to pull and unpack image "${image}": failed to resolve reference "${image}": failed to do ` +
    `request: Head "http://127.0.0.1:1/v2/${name}/manifests/${tag}": dial tcp 127.0.0.1:1: connect: ` +
    'connection refused';
  return { error };
};

function isStatic({ case: name }: Recording): boolean {
  return name.startsWith('static');
}

/** The case of a static pod is named as its mirror, after the pod and the node. */
function nameOf({ case: name, pod, ...rest }: Recording): string {
  return isStatic({ case: name, pod, ...rest }) ? name : (pod.metadata.name ?? '');
}

function nodeOf(recording: Recording): string {
  const { pod, case: name } = recording;
  return isStatic(recording)
    ? name.slice((pod.metadata.name ?? '').length + 1)
    : (pod.spec.nodeName ?? 'node1');
}

/** Of a static pod; its mirror has another one. */
function uidOf(pod: Pod | undefined): string {
  const { uid = '', annotations = {} } = pod?.metadata ?? {};
  return annotations['kubernetes.io/config.mirror'] ?? uid;
}

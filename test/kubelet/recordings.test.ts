/**
 * The recorded lives of pods under the kubelet of Kubernetes v1.36.4, lived again by podkeep on a
 * simulated runtime: at every stage both say the same, word by word, and they tell users the same
 * events.
 *
 * Podkeep is quicker and shows why a container waits for as long as it waits, so in loops it is the
 * order of states that has to agree.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Pod, PodStatus } from '../../src/api/pod.ts';
import { recordedScripts } from './runs/life-scripts.ts';
import { RunStage, type RunStageOptions } from './runs/run-stage.ts';
import { canonical, distinct, loopStep, stageOf } from './runs/stages.ts';

interface Recording {
  readonly case: string;
  readonly pod: Pod;
  readonly deleteAfter: number | null;
  readonly history: readonly { readonly status: PodStatus; readonly type: string }[];
  readonly events: readonly {
    readonly type: string;
    readonly reason: string;
    readonly message: string;
    readonly fieldPath?: string;
    readonly count: number;
  }[];
}

const FILE = path.join(import.meta.dirname, 'recordings', 'kubelet-v1.36.jsonl');
const RECORDINGS = readFileSync(FILE, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Recording);

/** What is decided before a pod has a worker is not the runner's. */
const NOT_COVERED: Readonly<Record<string, string>> = {
  'rejected-node-selector': 'rejected by admission, before any worker',
  'rejected-cpu': 'rejected by admission, before any worker',
};
const LOOPS = new Set(['crash-loop', 'liveness-fails', 'startup-fails', 'image-pull-fails']);
const COVERED = RECORDINGS.filter(({ case: name }) => !Object.hasOwn(NOT_COVERED, name));
const SECONDS = 110;

/** What surrounds the pod in some of the recordings. */
function surroundings({ case: name }: Recording): RunStageOptions {
  const images = ['docker.io/local/busy:1'];
  const base = { scripts: recordedScripts, images };
  if (name === 'image-pull-fails') {
    const image = '127.0.0.1:1/absent:1';
    const error =
      `failed to pull and unpack image "${image}": failed to resolve reference "${image}": failed to do ` +
      'request: Head "http://127.0.0.1:1/v2/absent/manifests/1": dial tcp 127.0.0.1:1: connect: ' +
      'connection refused';
    return { ...base, faults: (what) => (what === 'pullImage' ? { error } : undefined) };
  }
  if (name === 'env-config-map-missing') {
    const error = new Error('configmap "nope" not found');
    return { ...base, inputs: { resolve: () => Promise.reject(error) } };
  }
  if (name === 'volume-config-map-missing') {
    return {
      ...base,
      volumes: {
        waitForMounts: (_pod, signal) =>
          new Promise((_, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason as Error));
          }),
        waitForUnmount: () => Promise.resolve(),
        volumesExist: () => false,
      },
    };
  }
  if (name === 'http-readiness-refused') {
    const words = 'Get "http://<ip>:8099/": dial tcp <ip>:8099: connect: connection refused';
    return { ...base, ask: () => Promise.resolve({ result: 'failure', output: words }) };
  }
  return base;
}

async function live(recording: Recording): Promise<{ stage: RunStage; uid: string }> {
  const stage = new RunStage(surroundings(recording));
  const { pod, deleteAfter, case: name } = recording;
  const uid = 'uid-of-this-run';
  const isStatic = name.startsWith('static');
  const metadata = {
    ...pod.metadata,
    name: isStatic ? name : (pod.metadata.name ?? ''),
    uid,
    ...(isStatic ? { annotations: { 'kubernetes.io/config.source': 'file' } } : { generation: 1 }),
  };
  const defaults = {
    restartPolicy: 'Always' as const,
    terminationGracePeriodSeconds: 30,
    ...pod.spec,
  };
  const created: Pod = {
    metadata,
    spec: defaults,
    status: { phase: 'Pending', qosClass: 'BestEffort' },
  };
  await stage.pass(10);
  if (isStatic) stage.addStatic(created);
  else stage.create(created);
  if (name === 'readiness-gate') {
    await stage.pass(6000);
    const current = stage.api.findByUid(uid);
    const gate = { type: 'example.com/gate', status: 'True' as const };
    const conditions = [gate, ...(current?.status?.conditions ?? [])];
    if (current) stage.api.put({ ...current, status: { ...current.status, conditions } });
  }
  if (deleteAfter !== null) {
    await stage.pass(deleteAfter * 1000);
    stage.delete(metadata.name, metadata.namespace ?? '');
  }
  await stage.pass(isStatic ? 100_000 : SECONDS * 1000);
  if (isStatic) {
    stage.removeStatic(uid);
    await stage.pass(10_000);
  }
  return { stage, uid };
}

test('which recordings are covered is told', () => {
  const total = RECORDINGS.length;
  console.log(`${COVERED.length} of ${total} recordings are lived again`);
  for (const [name, why] of Object.entries(NOT_COVERED))
    console.log(`not covered: ${name}: ${why}`);
  expect(COVERED.length + Object.keys(NOT_COVERED).length).toBe(total);
});

test.for(COVERED.filter(({ case: name }) => !LOOPS.has(name)))(
  '$case: podkeep says what the kubelet said, stage by stage',
  async (recording) => {
    const { stage, uid } = await live(recording);
    const told = (stage.history.get(nameOf(recording)) ?? []).map(({ status }) =>
      canonical(stageOf(status, uid)),
    );
    const recorded = distinct(recording.history.map(({ status }) => canonical(status)));
    const ours = withoutHeldPhases(distinct(told), recorded);
    expect(ours).toEqual(withoutSkipped(recording, recorded));
    await stage.close();
  },
);

test.for(COVERED.filter(({ case: name }) => LOOPS.has(name)))(
  '$case: podkeep goes through the same states in the same order',
  async (recording) => {
    const { stage, uid } = await live(recording);
    const told = (stage.history.get(nameOf(recording)) ?? []).map(({ status }) =>
      loopStep(stageOf(status, uid)),
    );
    const recorded = distinct(recording.history.map(({ status }) => loopStep(status)));
    const ours = distinct(told);
    const length = Math.min(ours.length, recorded.length);
    expect(length).toBeGreaterThan(5);
    expect(ours.slice(0, length)).toEqual(recorded.slice(0, length));
    await stage.close();
  },
);

test.for(COVERED)('$case: users hear the same events', async (recording) => {
  const { stage, uid } = await live(recording);
  const told = new Set(
    stage.events.map(({ type, reason, message, fieldPath }) =>
      [type, reason, fieldPath, message.replaceAll(uid, '<uid>')].join(' | '),
    ),
  );
  const recorded = recording.events
    .filter(({ message }) => !message.startsWith('MountVolume.SetUp'))
    .map(({ type, reason, message, fieldPath }) =>
      [type, reason, fieldPath, message.replace(/[0-9a-f]{32}/, '<uid>')].join(' | '),
    );
  expect([...told].toSorted()).toEqual([...new Set(recorded)].toSorted());
  await stage.close();
});

/**
 * The end of a pod is written in two steps if the API is quick: the phase waits until the worker
 * has seen that nothing runs any more (SM-84), and the rest does not wait for it.
 */
function withoutHeldPhases(ours: readonly unknown[], recorded: readonly unknown[]) {
  const texts = new Set(recorded.map((stage) => JSON.stringify(stage)));
  const phaseless = new Set(recorded.map(withoutPhase));
  return distinct(
    ours.filter((stage) => {
      if (texts.has(JSON.stringify(stage))) return true;
      return !phaseless.has(withoutPhase(stage));
    }),
  );
}

function withoutPhase(stage: unknown): string {
  return JSON.stringify({ ...(stage as PodStatus), phase: '' });
}

/**
 * A mirror is made when its pod's sandbox is about to be: there is nobody to tell the stage before.
 */
function withoutSkipped({ case: name }: Recording, recorded: readonly unknown[]) {
  return name.startsWith('static') ? recorded.toSpliced(1, 1) : recorded;
}

function nameOf({ case: name, pod }: Recording): string {
  return name.startsWith('static') ? name : (pod.metadata.name ?? '');
}

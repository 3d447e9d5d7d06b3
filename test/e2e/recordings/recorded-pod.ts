/**
 * The recorded pods, as our nodes take them.
 *
 * Little is rewritten, and nothing that shows in the kubelet's reports:
 *
 *     probes         have more time, because a busy machine must not change the result
 *     scripts        that change their health do it later, for the same reason
 *     image cases    have no command on a node that runs processes of its machine, because one that is
 *                    there needs no image
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Pod } from '../../../src/api/pod.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { isLoop as loops, type Recording } from '../../kubelet/runs/recorded-life.ts';

export interface RecordedPod {
  readonly recording: Recording;
  readonly isLoop: boolean;
  readonly isStatic: boolean;
  /** As the API has it; for a static pod that of its mirror. */
  readonly name: string;
  /** What to create here. */
  readonly pod: JsonObject;
}

/** What the containers of a node are. */
export type Kind = 'containers' | 'processes';

const FILE = path.join(import.meta.dirname, '../../kubelet/recordings/kubelet-v1.36.jsonl');
const PRESENT = 'docker.io/local/busy:1';
const PROBES = ['startupProbe', 'readinessProbe', 'livenessProbe'];
const PROBE_SECONDS = 20;
const LATER_SECONDS = 8;

export const NAMESPACE = 'rec';
export const NODE_NAME = 'go-node';

export function recordedPods(kind: Kind): readonly RecordedPod[] {
  const lines = readFileSync(FILE, 'utf8').trim().split('\n');
  return lines.map((line) => recordedPod(line, kind));
}

function recordedPod(line: string, kind: Kind): RecordedPod {
  const recording = JSON.parse(line) as Recording;
  const isStatic = recording.case.startsWith('static');
  const name = isStatic ? recording.case : (recording.pod.metadata.name ?? '');
  const pod = rewritten(recording.pod, kind);
  return { recording, isLoop: loops(recording), isStatic, name, pod };
}

function rewritten({ spec, ...pod }: Pod, kind: Kind): JsonObject {
  const { containers, initContainers } = spec as unknown as {
    readonly containers: readonly JsonObject[];
    readonly initContainers?: readonly JsonObject[];
  };
  return {
    ...(pod as unknown as JsonObject),
    spec: {
      ...(spec as unknown as JsonObject),
      containers: containers.map((each) => rewrittenContainer(each, kind)),
      ...(initContainers && {
        initContainers: initContainers.map((each) => rewrittenContainer(each, kind)),
      }),
    },
  };
}

function rewrittenContainer(container: JsonObject, kind: Kind): JsonObject {
  const { command, ...rest } = container;
  const words = (command ?? []) as readonly string[];
  const patient = PROBES.filter((name) => name in rest).map((name) => {
    return [name, { ...(rest[name] as JsonObject), timeoutSeconds: PROBE_SECONDS }] as const;
  });
  const later = words.map((word) =>
    word.replace(/^sleep \d+; touch/, `sleep ${LATER_SECONDS}; touch`),
  );
  return {
    ...rest,
    ...Object.fromEntries(patient),
    ...((kind === 'containers' || rest['image'] === PRESENT) && { command: later }),
  };
}

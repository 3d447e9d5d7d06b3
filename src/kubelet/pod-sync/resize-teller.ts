/** Tells how a resize in place goes: by the condition of the pod, and by events (KL-2, KL-6). */
import type { Pod } from '../../api/pod.ts';
import type { RuntimePod } from '../../api/runtime-pod.ts';
import type { ResourceRequirements } from '../../api/resources.ts';
import type { EventRecorder } from '../../ports/event-recorder.ts';
import type { PodRunner } from '../pod-runner/pod-runner.ts';
import { podReferenceOf } from '../pod-runner/run-spec.ts';
import { messageOf } from '../pod-runner/start-failure.ts';
import type { StatusManager } from '../status-manager/status-manager.ts';

export interface ResizeTellerOptions {
  readonly events: EventRecorder;
  readonly status: StatusManager;
  readonly runner: Pick<PodRunner, 'isResizing'>;
}

export class ResizeTeller {
  readonly #options: ResizeTellerOptions;

  constructor(options: ResizeTellerOptions) {
    this.#options = options;
  }

  /** Before the status is computed: is what was granted what was given? */
  look(pod: Pod, runtimePod: RuntimePod): void {
    const { status, runner, events } = this.#options;
    const reference = podReferenceOf(pod);
    const { generation = 0 } = pod.metadata;
    if (runner.isResizing(pod, runtimePod)) {
      status.setResizeInProgress(reference.uid, { reason: '', message: '', generation });
      return;
    }
    const done = status.clearResizeInProgress(reference.uid);
    if (done === null) return;
    const message = `Pod resize completed: ${summaryOf(pod, done)}`;
    events.record(reference, 'Normal', 'ResizeCompleted', message);
  }

  failed(pod: Pod, error: unknown): void {
    const { status, events } = this.#options;
    const reference = podReferenceOf(pod);
    const { generation = 0 } = pod.metadata;
    const report = { reason: 'Error', message: messageOf(error), generation };
    const told = status.setResizeInProgress(reference.uid, report);
    if (!told.changed) return;
    const summary = summaryOf(pod, told.generation, report.message);
    events.record(reference, 'Warning', 'ResizeError', `Pod resize error: ${summary}`);
  }
}

/** In the form of the kubelet's events, which people parse. */
function summaryOf({ spec }: Pod, generation: number, error?: string): string {
  const part = ({ name, resources = {} }: { name: string; resources?: ResourceRequirements }) => ({
    name,
    resources,
  });
  return JSON.stringify({
    ...(spec.initContainers?.length && { initContainers: spec.initContainers.map(part) }),
    containers: spec.containers.map(part),
    generation,
    ...(error && { error }),
  });
}

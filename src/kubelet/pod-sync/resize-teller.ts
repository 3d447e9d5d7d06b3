/** Tells how a resize in place goes: by the condition of the pod, and by events (KL-2, KL-6). */
import type { Pod } from '../../api/pod.ts';
import type { RuntimePod } from '../../api/runtime-pod.ts';
import { resizeMessage } from '../../core/resize-message.ts';
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
    events.record(reference, 'Normal', 'ResizeCompleted', resizeMessage('completed', pod, done));
  }

  failed(pod: Pod, error: unknown): void {
    const { status, events } = this.#options;
    const reference = podReferenceOf(pod);
    const { generation = 0 } = pod.metadata;
    const report = { reason: 'Error', message: messageOf(error), generation };
    const told = status.setResizeInProgress(reference.uid, report);
    if (!told.changed) return;
    const message = resizeMessage('error', pod, told.generation, report.message);
    events.record(reference, 'Warning', 'ResizeError', message);
  }
}

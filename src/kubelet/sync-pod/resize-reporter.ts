/** Reports the progress of an in-place resize in a pod condition and Events (KL-2, KL-6). */
import type { Pod } from '../../api/pod.ts';
import type { RuntimePod } from '../../api/runtime-pod.ts';
import { resizeMessage } from '../../core/resize/resize-message.ts';
import type { EventRecorder } from '../../ports/observe/event-recorder.ts';
import type { PodRunner } from '../containers/pod-runner.ts';
import { podReferenceOf } from '../../api/run-spec.ts';
import { failureMessageOf } from '../containers/start/start-failure.ts';
import type { StatusManager } from '../status-manager/status-manager.ts';

export interface ResizeReporterDeps {
  readonly events: EventRecorder;
  readonly status: StatusManager;
  readonly runner: Pick<PodRunner, 'isResizing'>;
}

export class ResizeReporter {
  readonly #options: ResizeReporterDeps;

  constructor(options: ResizeReporterDeps) {
    this.#options = options;
  }

  /** Called before the status is computed: compares the allocated resources with the applied ones. */
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
    const report = { reason: 'Error', message: failureMessageOf(error), generation };
    const reported = status.setResizeInProgress(reference.uid, report);
    if (!reported.changed) return;
    const message = resizeMessage('error', pod, reported.generation, report.message);
    events.record(reference, 'Warning', 'ResizeError', message);
  }
}

/**
 * Records Events of a controller in the background: the controller's work does not wait for them, but its
 * stop does.
 */
import type { JsonObject } from '../../../../lib/json.ts';
import type { ServerParts } from '../../../registry/server-parts.ts';
import { EventRecorder, type EventText } from '../../event-recorder.ts';

export class WorkloadEvents {
  readonly #recorder: EventRecorder;
  readonly #writing = new Set<Promise<void>>();

  constructor(parts: ServerParts, reporter: string) {
    this.#recorder = new EventRecorder(parts, reporter);
  }

  record(object: JsonObject, event: EventText): void {
    const writing = this.#recorder.record(object, event).finally(() => {
      this.#writing.delete(writing);
    });
    this.#writing.add(writing);
  }

  normal(object: JsonObject, reason: string, message: string): void {
    this.record(object, { type: 'Normal', reason, message });
  }

  warning(object: JsonObject, reason: string, message: string): void {
    this.record(object, { type: 'Warning', reason, message });
  }

  async drained(): Promise<void> {
    await Promise.all(this.#writing);
  }
}

/**
 * What really runs on the node: the truth that podkeep's view is compared with. It knows nothing of
 * podkeep.
 *
 * Views are frozen and shared until something changes: code that writes into one fails (F-18).
 */
import type { RuntimeContainer, RuntimePod, RuntimeSandbox } from '../../src/api/runtime-pod.ts';
import type { PodReference } from '../../src/api/pod-reference.ts';
import { deepFreeze } from '../support/deep-freeze.ts';

export interface RuntimeRecord {
  readonly pod: PodReference;
  /** The full name, if it is a static pod. Of those, one may run at a time (PW-80). */
  readonly staticName: string | null;
  /** Newest first. */
  readonly sandboxes: readonly RuntimeSandbox[];
  readonly containers: readonly RuntimeContainer[];
}

const NOTHING: RuntimePod = deepFreeze({ sandboxes: [], containers: [], ips: [] });

export class RuntimeRecords {
  readonly #records = new Map<string, RuntimeRecord>();
  readonly #views = new Map<string, RuntimePod>();
  readonly #running = new Map<string, readonly RuntimeContainer[]>();
  /** Every exit code there ever was, by container ID. */
  readonly exits = new Map<string, number>();
  /** Something of this pod changed. */
  onChange: (uid: string) => void = () => {};

  find(uid: string): RuntimeRecord | undefined {
    return this.#records.get(uid);
  }

  all(): readonly RuntimeRecord[] {
    return [...this.#records.values()];
  }

  add(pod: PodReference, staticName: string | null): void {
    if (this.#records.has(pod.uid)) return;
    const { uid, name, namespace } = pod;
    this.#records.set(uid, {
      pod: { uid, name, namespace },
      staticName,
      sandboxes: [],
      containers: [],
    });
  }

  change(uid: string, fields: Partial<RuntimeRecord>): void {
    const record = this.#records.get(uid);
    if (!record) return;
    this.#records.set(uid, { ...record, ...fields });
    this.#changed(uid);
  }

  changeContainer(uid: string, id: string, fields: Partial<RuntimeContainer>): void {
    const containers = this.#records.get(uid)?.containers ?? [];
    this.change(uid, {
      containers: containers.map((each) => (each.id === id ? { ...each, ...fields } : each)),
    });
  }

  remove(uid: string): void {
    this.#records.delete(uid);
    this.#changed(uid);
  }

  /** As a runtime reports it. The same object as long as nothing changed. */
  look(uid: string): RuntimePod {
    const record = this.#records.get(uid);
    if (!record) return NOTHING;
    let view = this.#views.get(uid);
    if (!view) {
      const { sandboxes, containers } = record;
      const [newest] = sandboxes;
      const ips = newest?.ready === true && newest.ip ? [newest.ip] : [];
      view = deepFreeze({ sandboxes, containers, ips });
      this.#views.set(uid, view);
    }
    return view;
  }

  running(uid: string): readonly RuntimeContainer[] {
    let running = this.#running.get(uid);
    if (!running) {
      const containers = this.#records.get(uid)?.containers ?? [];
      running = containers.filter(({ state }) => state === 'running');
      this.#running.set(uid, running);
    }
    return running;
  }

  isAlive(uid: string): boolean {
    const record = this.#records.get(uid);
    if (!record) return false;
    return record.sandboxes.some(({ ready }) => ready) || this.running(uid).length > 0;
  }

  #changed(uid: string): void {
    this.#views.delete(uid);
    this.#running.delete(uid);
    this.onChange(uid);
  }
}

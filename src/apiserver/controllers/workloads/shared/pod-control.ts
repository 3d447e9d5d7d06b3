/** Creates and deletes pods for a workload, and records an Event on the workload for each. */
import { readObjects, readStruct } from '../../../../api/validation/json-reading.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import { pods } from '../../../kinds/core/pods.ts';
import { structAt } from '../../../objects/field-path.ts';
import { metadataOf, nameOf, textOf } from '../../../objects/metadata.ts';
import type { ServerParts } from '../../../registry/server-parts.ts';
import { isMissing, isNamespaceGoing, PLAIN_DELETION } from '../../deletion-request.ts';
import { uidOf } from '../../garbage/owner-reference.ts';
import type { WorkloadEvents } from './workload-events.ts';

const POD_NAME_MAX = 253;

/** `reference`: the controller reference of the pod. */
export function podFromTemplate(
  template: JsonObject,
  owner: JsonObject,
  reference: JsonObject,
): JsonObject {
  const { labels, annotations, finalizers } = metadataOf(template);
  return {
    metadata: {
      generateName: podNamePrefix(nameOf(owner)),
      ...(labels !== undefined && { labels }),
      ...(annotations !== undefined && { annotations }),
      ...(finalizers !== undefined && { finalizers }),
      ownerReferences: [reference],
    },
    spec: readStruct(template['spec']),
  };
}

/** Ends in a dash, unless that would make the name too long. */
function podNamePrefix(name: string): string {
  return name.length < POD_NAME_MAX ? `${name}-` : name;
}

export class PodControl {
  readonly #parts: ServerParts;
  readonly #events: WorkloadEvents;

  constructor(parts: ServerParts, events: WorkloadEvents) {
    this.#parts = parts;
    this.#events = events;
  }

  /** Null: the namespace is terminating, so the pod is not needed. */
  async create(owner: JsonObject, pod: JsonObject): Promise<JsonObject | null> {
    const namespace = textOf(metadataOf(owner)['namespace']);
    try {
      const created = await this.#parts.registry.create({ definition: pods, namespace, body: pod });
      const message = `Created pod: ${nameOf(created)}`;
      this.#events.record(owner, { type: 'Normal', reason: 'SuccessfulCreate', message });
      return created;
    } catch (error) {
      if (isNamespaceGoing(error)) return null;
      const message = `Error creating: ${messageOf(error)}`;
      this.#events.record(owner, { type: 'Warning', reason: 'FailedCreate', message });
      throw error;
    }
  }

  /** Deletes exactly this pod, not another one with the same name. */
  async remove(owner: JsonObject, pod: JsonObject): Promise<void> {
    const { namespace } = metadataOf(pod);
    const target = { definition: pods, namespace: textOf(namespace), name: nameOf(pod) };
    try {
      await this.#parts.registry.remove(target, { ...PLAIN_DELETION, uid: uidOf(pod) });
      const message = `Deleted pod: ${nameOf(pod)}`;
      this.#events.record(owner, { type: 'Normal', reason: 'SuccessfulDelete', message });
    } catch (error) {
      if (isMissing(error)) return;
      const message = `Error deleting: ${messageOf(error)}`;
      this.#events.record(owner, { type: 'Warning', reason: 'FailedDelete', message });
      throw error;
    }
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function restartsOf(pod: JsonObject): number {
  const statuses = readObjects(structAt(pod, 'status')['containerStatuses']);
  const counts = statuses.map(({ restartCount }) =>
    typeof restartCount === 'number' ? restartCount : 0,
  );
  return Math.max(0, ...counts);
}

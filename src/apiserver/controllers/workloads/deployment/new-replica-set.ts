/**
 * Creates the ReplicaSet of a new template. If a ReplicaSet of another template already has the name of the
 * new one, that is a hash collision, and the next hash is tried.
 */
import type { JsonObject } from '../../../../lib/json.ts';
import { readStruct } from '../../../../api/validation/json-reading.ts';
import { deployments } from '../../../kinds/apps/deployment.ts';
import { replicaSets } from '../../../kinds/apps/replica-set.ts';
import { numberAt, objectsAt, structAt } from '../../../objects/field-path.ts';
import { metadataOf, nameOf, textOf, withMetadata } from '../../../objects/metadata.ts';
import type { ServerParts } from '../../../registry/server-parts.ts';
import { isAlreadyThere, isNamespaceGoing } from '../../deletion-request.ts';
import { uidOf } from '../../garbage/owner-reference.ts';
import { controllerRefOf, newControllerRef } from '../shared/controller-ref.ts';
import { writeStatus } from '../shared/exact-update.ts';
import { messageOf } from '../shared/pod-control.ts';
import type { WorkloadEvents } from '../shared/workload-events.ts';
import { progressing } from './deployment-status.ts';
import {
  DESIRED_REPLICAS,
  HASH_LABEL,
  hasTemplate,
  MAX_REPLICAS,
  withAnnotations,
  withRevision,
} from './revision.ts';
import { hasProgressDeadline, maxSurgeOf, newSetSize, replicasOf } from './rollout-numbers.ts';
import { templateHash } from '../shared/template-hash.ts';

const NAME_MAX = 253;

export class NewReplicaSet {
  readonly #parts: ServerParts;
  readonly #events: WorkloadEvents;

  constructor(parts: ServerParts, events: WorkloadEvents) {
    this.#parts = parts;
    this.#events = events;
  }

  async create(
    deployment: JsonObject,
    old: readonly JsonObject[],
    revision: bigint,
  ): Promise<void> {
    const body = newReplicaSet(deployment, old, revision);
    const namespace = textOf(metadataOf(deployment)['namespace']);
    const name = nameOf(body);
    try {
      await this.#parts.registry.create({ definition: replicaSets, namespace, body });
    } catch (error) {
      if (isNamespaceGoing(error)) return;
      if (isAlreadyThere(error)) await this.#collide(deployment, name);
      else
        await this.#fail(
          deployment,
          `Failed to create new replica set "${name}": ${messageOf(error)}`,
        );
      throw error;
    }
    const size = numberAt(body, 'spec.replicas');
    if (size > 0) {
      const message = `Scaled up replica set ${name} from 0 to ${size}`;
      this.#events.normal(deployment, 'ScalingReplicaSet', message);
    }
    const message = `Created new replica set "${name}"`;
    await this.#report(deployment, 'True', 'NewReplicaSetCreated', message);
  }

  async #collide(deployment: JsonObject, name: string): Promise<void> {
    const namespace = textOf(metadataOf(deployment)['namespace']);
    const set = this.#parts.registry.get({ definition: replicaSets, namespace, name });
    const isOwn = controllerRefOf(set)?.uid === uidOf(deployment);
    if (isOwn && hasTemplate(set, deployment)) return;
    const collisionCount = numberAt(deployment, 'status.collisionCount') + 1;
    const status = { ...structAt(deployment, 'status'), collisionCount };
    await writeStatus(this.#parts, deployments, deployment, status);
  }

  async #fail(deployment: JsonObject, message: string): Promise<void> {
    this.#events.warning(deployment, 'ReplicaSetCreateError', message);
    await this.#report(deployment, 'False', 'ReplicaSetCreateError', message);
  }

  async #report(
    deployment: JsonObject,
    status: string,
    reason: string,
    message: string,
  ): Promise<void> {
    if (!hasProgressDeadline(deployment)) return;
    const before = objectsAt(deployment, 'status.conditions');
    const conditions = progressing(before, status, reason, message, this.#parts.clock.now());
    const changed = { ...structAt(deployment, 'status'), conditions };
    await writeStatus(this.#parts, deployments, deployment, changed);
  }
}

export function newReplicaSet(
  deployment: JsonObject,
  old: readonly JsonObject[],
  revision: bigint,
): JsonObject {
  const template = structAt(deployment, 'spec.template');
  const hash = templateHash(template, numberAt(deployment, 'status.collisionCount'));
  const labels = { ...readStruct(metadataOf(template)['labels']), [HASH_LABEL]: hash };
  const selector = structAt(deployment, 'spec.selector');
  const matchLabels = { ...readStruct(selector['matchLabels']), [HASH_LABEL]: hash };
  const desired = replicasOf(deployment);
  const bare: JsonObject = {
    metadata: {
      name: `${nameOf(deployment).slice(0, NAME_MAX - 1 - hash.length)}-${hash}`,
      labels,
      ownerReferences: [newControllerRef(deployments, deployment)],
    },
    spec: {
      replicas: newSetSize(deployment, old, 0),
      minReadySeconds: numberAt(deployment, 'spec.minReadySeconds'),
      selector: { ...selector, matchLabels },
      template: withMetadata(template, { labels }),
    },
  };
  return withAnnotations(withRevision(bare, deployment, revision), {
    [DESIRED_REPLICAS]: String(desired),
    [MAX_REPLICAS]: String(desired + maxSurgeOf(deployment)),
  });
}

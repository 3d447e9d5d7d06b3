/**
 * Performs what revision-data.ts decides: adopts, creates, renumbers and deletes the ControllerRevisions of
 * an owner.
 */
import { jsonEqual } from '../../../../api/values/json-equal.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import { controllerRevisions } from '../../../kinds/apps/controller-revision.ts';
import { numberAt } from '../../../objects/field-path.ts';
import { metadataOf, nameOf, textOf } from '../../../objects/metadata.ts';
import type { ServerParts } from '../../../registry/server-parts.ts';
import { isAlreadyThere, isNamespaceGoing, removeIfThere } from '../../deletion-request.ts';
import { uidOf } from '../../garbage/owner-reference.ts';
import { claimAll } from './claim.ts';
import { controllerRefOf } from './controller-ref.ts';
import { targetTo, updateExactly } from './exact-update.ts';
import type { OwnedIndex } from './owned-index.ts';
import {
  newRevision,
  planHistory,
  templateOf,
  type RevisionForm,
  type RevisionNumber,
} from './revision-data.ts';
import { selectorMatcher } from './workload-selector.ts';

export interface RevisionHistoryDeps {
  readonly parts: ServerParts;
  readonly revisions: OwnedIndex;
}

export interface CurrentRevision {
  readonly revision: JsonObject;
  /** For `status.collisionCount`. */
  readonly collisions: number;
  /** Older revisions with the same template, created by two controllers at the same time. */
  readonly duplicates: readonly JsonObject[];
}

/** At most this many names are tried in one sync: more collisions are no accident. */
const COLLISIONS_MAX = 20;

export class RevisionHistory {
  readonly #deps: RevisionHistoryDeps;
  readonly #form: RevisionForm;

  constructor(deps: RevisionHistoryDeps, form: RevisionForm) {
    this.#deps = deps;
    this.#form = form;
  }

  /** Adopts revisions that the owner selects, and releases those that it no longer selects. */
  async claim(owner: JsonObject): Promise<readonly JsonObject[]> {
    const { parts, revisions: index } = this.#deps;
    const namespace = textOf(metadataOf(owner)['namespace']);
    const candidates = [...index.ownedBy(uidOf(owner)), ...index.orphansIn(namespace)];
    const { ownerKind } = this.#form;
    const kinds = { ownerKind, childKind: controllerRevisions };
    return claimAll({ parts, ...kinds, owner, matches: selectorMatcher(owner) }, candidates);
  }

  /** The revision of the owner's template. Null: the namespace is terminating. */
  async current(
    owner: JsonObject,
    revisions: readonly JsonObject[],
  ): Promise<CurrentRevision | null> {
    const plan = planHistory(revisions, owner);
    const collisions = numberAt(owner, 'status.collisionCount');
    if (plan.type === 'create') return this.#create(owner, plan.number, collisions);
    const { revision, duplicates } = plan;
    if (plan.type === 'use') return { revision, collisions, duplicates };
    const { number } = plan;
    const target = targetTo(controllerRevisions, revision);
    const renumbered = await updateExactly(this.#deps.parts, target, revision, (seen) => ({
      ...seen,
      revision: number,
    }));
    return { revision: renumbered, collisions, duplicates };
  }

  async remove(revision: JsonObject): Promise<void> {
    const target = targetTo(controllerRevisions, revision);
    await removeIfThere(this.#deps.parts.registry, target, { uid: uidOf(revision) });
  }

  /** If another template has the name, that is a hash collision, and the next hash is tried. */
  async #create(
    owner: JsonObject,
    number: RevisionNumber,
    known: number,
  ): Promise<CurrentRevision | null> {
    const { registry } = this.#deps.parts;
    const namespace = textOf(metadataOf(owner)['namespace']);
    for (let collisions = known; ; collisions++) {
      const body = newRevision(owner, this.#form, number, collisions);
      try {
        const revision = await registry.create({
          definition: controllerRevisions,
          namespace,
          body,
        });
        return { revision, collisions, duplicates: [] };
      } catch (error) {
        if (isNamespaceGoing(error)) return null;
        if (!isAlreadyThere(error) || collisions - known >= COLLISIONS_MAX) throw error;
        const found = this.#existing(namespace, body, owner);
        if (found) return { revision: found, collisions, duplicates: [] };
      }
    }
  }

  #existing(namespace: string, body: JsonObject, owner: JsonObject): JsonObject | undefined {
    const { registry } = this.#deps.parts;
    const found = registry.get({
      definition: controllerRevisions,
      namespace,
      name: nameOf(body),
    });
    const isOwn = controllerRefOf(found)?.uid === uidOf(owner);
    return isOwn && jsonEqual(templateOf(found), templateOf(body)) ? found : undefined;
  }
}

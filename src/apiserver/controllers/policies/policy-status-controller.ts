/**
 * Writes the status of ValidatingAdmissionPolicies: the warnings of the type checker, and the generation that
 * was checked.
 */
import type { JsonObject } from '../../../lib/json.ts';
import { validatingAdmissionPolicies } from '../../kinds/extension/admission-policy.ts';
import { numberAt, structAt } from '../../objects/field-path.ts';
import { follow } from '../../registry/object-feed.ts';
import { prefixOf } from '../../registry/registry.ts';
import type { ServerParts } from '../../registry/server-parts.ts';
import type { Controller } from '../controller.ts';
import { isMissing } from '../deletion-request.ts';
import { readKey } from '../object-key.ts';
import { WorkQueue } from '../work-queue.ts';
import { checkTypes } from './type-checking.ts';

const NAME = 'policy-status';
/** The field manager with which kube-controller-manager writes the status. */
const MANAGER = 'validatingadmissionpolicy-status';

export class PolicyStatusController implements Controller {
  readonly #parts: ServerParts;
  readonly #queue: WorkQueue;
  readonly #leave: () => void;

  constructor(parts: ServerParts) {
    this.#parts = parts;
    const { store, clock, random, log } = parts;
    const work = (key: string): Promise<void> => this.#check(key);
    this.#queue = new WorkQueue({ clock, random, log, name: NAME, work });
    this.#leave = follow(
      store,
      prefixOf(validatingAdmissionPolicies, ''),
      ({ type, key, value }) => {
        if (type === 'put' && !isChecked(value)) this.#queue.add(key);
      },
    );
  }

  async stop(): Promise<void> {
    this.#leave();
    await this.#queue.stop();
  }

  async #check(key: string): Promise<void> {
    const { registry, catalog } = this.#parts;
    const { name } = readKey(key);
    const target = { definition: validatingAdmissionPolicies, namespace: '', name };
    const change = (old: JsonObject): JsonObject => {
      if (isChecked(old)) return old;
      const warnings = checkTypes(old, catalog);
      const typeChecking = warnings.length === 0 ? {} : { expressionWarnings: warnings };
      const observedGeneration = numberAt(old, 'metadata.generation');
      return { ...old, status: { ...structAt(old, 'status'), observedGeneration, typeChecking } };
    };
    try {
      await registry.update({ ...target, subresource: 'status', manager: MANAGER, change });
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
}

function isChecked(policy: JsonObject): boolean {
  return numberAt(policy, 'metadata.generation') <= numberAt(policy, 'status.observedGeneration');
}

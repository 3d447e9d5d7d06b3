/**
 * Follows the webhook configurations in the store and lists their webhooks in calling order: configurations
 * by name, and the webhooks of one configuration in their own order. Configurations are parsed once for each
 * change.
 */
import type { JsonObject } from '../../../lib/json.ts';
import type { LabelSelector } from '../../../api/values/label-selector.ts';
import { readNumber, readText, readTexts } from '../../../api/validation/json-reading.ts';
import { BOOL } from '../../../cel/cel.ts';
import type { ObjectStore } from '../../../ports/api/object-store.ts';
import { compileAdmissionExpression } from '../../expressions/admission-expression.ts';
import type { PolicyExpression } from '../../expressions/expression-run.ts';
import type { KindDefinition } from '../../objects/kind.ts';
import { objectsAt, structAt } from '../../objects/field-path.ts';
import { nameOf } from '../../objects/metadata.ts';
import { prefixOf } from '../../registry/registry.ts';
import { selectorAt } from '../matching/rule-match.ts';

export interface Webhook {
  /** Unique among all: of its configuration, its place in it, and its name. */
  readonly id: string;
  readonly configuration: string;
  readonly name: string;
  readonly rules: readonly JsonObject[];
  /** Null: it cannot be read. */
  readonly namespaceSelector: LabelSelector | null;
  readonly objectSelector: LabelSelector | null;
  readonly matchConditions: readonly PolicyExpression[];
  readonly isExact: boolean;
  readonly isIgnored: boolean;
  readonly isReinvocable: boolean;
  readonly sideEffects: string;
  readonly timeoutMs: number;
  readonly reviewVersions: readonly string[];
  readonly client: JsonObject;
}

export const MATCH_SCOPE = { hasParams: false, hasAuthorizer: true };

const TIMEOUT_SECONDS = 10;
const MS_PER_SECOND = 1000;

export class WebhookConfigurations {
  readonly #byKey = new Map<string, readonly Webhook[]>();
  #all: readonly Webhook[] | null = null;

  constructor(store: ObjectStore, definition: KindDefinition) {
    const prefix = prefixOf(definition, '');
    const { objects, revision } = store.list(prefix);
    for (const { key, value } of objects) this.#byKey.set(key, readWebhooks(value));
    store.watch(prefix, revision, ({ type, key, value }) => {
      if (type === 'delete') this.#byKey.delete(key);
      else this.#byKey.set(key, readWebhooks(value));
      this.#all = null;
    });
  }

  all(): readonly Webhook[] {
    this.#all ??= [...this.#byKey]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([, webhooks]) => webhooks);
    return this.#all;
  }
}

function readWebhooks(configuration: JsonObject): readonly Webhook[] {
  const owner = nameOf(configuration);
  return objectsAt(configuration, 'webhooks').map((webhook, index) => {
    const name = readText(webhook['name']);
    const seconds = readNumber(webhook['timeoutSeconds']) || TIMEOUT_SECONDS;
    return {
      id: `${owner}/${index}/${name}`,
      configuration: owner,
      name,
      rules: objectsAt(webhook, 'rules'),
      namespaceSelector: selectorAt(webhook, 'namespaceSelector'),
      objectSelector: selectorAt(webhook, 'objectSelector'),
      matchConditions: objectsAt(webhook, 'matchConditions').map(readCondition),
      isExact: webhook['matchPolicy'] === 'Exact',
      isIgnored: webhook['failurePolicy'] === 'Ignore',
      isReinvocable: webhook['reinvocationPolicy'] === 'IfNeeded',
      sideEffects: readText(webhook['sideEffects']),
      timeoutMs: seconds * MS_PER_SECOND,
      reviewVersions: readTexts(webhook['admissionReviewVersions']),
      client: structAt(webhook, 'clientConfig'),
    };
  });
}

function readCondition(condition: JsonObject): PolicyExpression {
  const text = readText(condition['expression']).trim();
  const compiled = compileAdmissionExpression(text, MATCH_SCOPE, [BOOL]);
  return { text, compiled };
}

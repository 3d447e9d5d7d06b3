/**
 * Finds other autoscalers that scale the same pods, by an index of the selectors of all targets.
 *
 *     an autoscaler gets another target, or its target changes ──> its selector is read again at the next lookup
 *     a kind is added or removed ────────────────────────────────> all selectors are read again
 *
 * Selectors are indexed by one label that they require. So a round of a thousand autoscalers reads at most a
 * thousand targets, not a thousand for each autoscaler.
 */
import { matchesLabels, type LabelSelector } from '../../../../api/values/label-selector.ts';
import { jsonEqual } from '../../../../api/values/json-equal.ts';
import { PodkeepError } from '../../../../lib/errors.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import { horizontalPodAutoscalers } from '../../../kinds/autoscaling/horizontal-pod-autoscaler.ts';
import { runIfConverted } from '../../../objects/conversion-replay.ts';
import { structAt, textAt } from '../../../objects/field-path.ts';
import { nameOf } from '../../../objects/metadata.ts';
import { labelsOf } from '../../../objects/object-labels.ts';
import { follow } from '../../../registry/object-feed.ts';
import { keyOf, prefixOf } from '../../../registry/registry.ts';
import type { ServerParts } from '../../../registry/server-parts.ts';
import { findScaleTarget, targetsOf } from './scale-target.ts';
import { parsedSelector } from './target-selector.ts';

/** The autoscalers of one namespace whose targets have the same selector. */
interface Group {
  readonly selector: LabelSelector;
  readonly names: Set<string>;
}

interface Entry {
  readonly name: string;
  readonly targetKeys: readonly string[];
  /** Where the selector is in #buckets. Null: the target has no valid selector. */
  readonly slot: { readonly bucket: string; readonly text: string } | null;
}

export class RivalIndex {
  readonly #parts: ServerParts;
  readonly #entries = new Map<string, Entry>();
  readonly #byTarget = new Map<string, Set<string>>();
  /** By namespace and a label that the selectors require, then by the text of the selector. */
  readonly #buckets = new Map<string, Map<string, Group>>();
  /** Keys of autoscalers whose selectors must be read again. */
  readonly #changed = new Set<string>();
  /** Stops watching a kind of targets, by the kind's prefix. */
  readonly #watched = new Map<string, () => void>();
  readonly #leave: () => void;
  #catalogVersion: number;

  constructor(parts: ServerParts) {
    this.#parts = parts;
    this.#catalogVersion = parts.catalog.version;
    const prefix = prefixOf(horizontalPodAutoscalers, '');
    this.#leave = follow(parts.store, prefix, ({ type, key, value, before }) => {
      const isSame = type === 'put' && before && jsonEqual(referenceOf(before), referenceOf(value));
      if (!isSame) this.#changed.add(key);
    });
  }

  stop(): void {
    this.#leave();
    for (const leave of this.#watched.values()) leave();
  }

  /** The names of other autoscalers whose targets select one of the pods. */
  rivalsOf(autoscaler: JsonObject, selected: readonly JsonObject[]): readonly string[] {
    this.#refresh();
    const namespace = textAt(autoscaler, 'metadata.namespace');
    const groups = new Map<Group, JsonObject[]>();
    for (const pod of selected) {
      for (const bucket of bucketsOf(namespace, pod)) {
        for (const group of this.#buckets.get(bucket)?.values() ?? []) {
          const candidates = groups.get(group);
          if (candidates) candidates.push(pod);
          else groups.set(group, [pod]);
        }
      }
    }
    const own = nameOf(autoscaler);
    return [...groups]
      .filter(([{ names }]) => names.size > (names.has(own) ? 1 : 0))
      .filter(([{ selector }, pods]) => pods.some((pod) => matchesLabels(selector, labelsOf(pod))))
      .flatMap(([{ names }]) => [...names].filter((name) => name !== own));
  }

  #refresh(): void {
    const { catalog } = this.#parts;
    if (catalog.version !== this.#catalogVersion) {
      this.#catalogVersion = catalog.version;
      for (const key of this.#entries.keys()) this.#changed.add(key);
    }
    const changed = [...this.#changed];
    this.#changed.clear();
    for (const key of changed) {
      this.#remove(key);
      try {
        const autoscaler = this.#parts.store.get(key)?.value;
        if (autoscaler) this.#add(key, autoscaler);
      } catch (error) {
        // A target that cannot be decrypted is not scaled, so it is no rival. It is read again later, and
        // must not stop other autoscalers.
        if (!(error instanceof PodkeepError)) throw error;
        this.#changed.add(key);
      }
    }
  }

  #add(key: string, autoscaler: JsonObject): void {
    const targets = targetsOf(this.#parts, autoscaler);
    for (const { definition } of targets) this.#watch(prefixOf(definition, ''));
    const targetKeys = targets.map(keyOf);
    for (const target of targetKeys) {
      this.#byTarget.set(target, (this.#byTarget.get(target) ?? new Set<string>()).add(key));
    }
    const name = nameOf(autoscaler);
    this.#entries.set(key, { name, targetKeys, slot: null });
    const found = runIfConverted(() => findScaleTarget(this.#parts, autoscaler));
    // Its own controller has it converted; until then it is no rival.
    if (found === undefined) this.#changed.add(key);
    const text = found === undefined || typeof found === 'string' ? '' : found.selector;
    const selector = parsedSelector(text);
    if (typeof selector === 'string') return;
    const bucket = bucketOf(textAt(autoscaler, 'metadata.namespace'), selector);
    this.#entries.set(key, { name, targetKeys, slot: { bucket, text } });
    const groups = this.#buckets.get(bucket) ?? new Map<string, Group>();
    const group = groups.get(text) ?? { selector, names: new Set<string>() };
    group.names.add(name);
    this.#buckets.set(bucket, groups.set(text, group));
  }

  #remove(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    for (const target of entry.targetKeys) {
      const keys = this.#byTarget.get(target);
      keys?.delete(key);
      if (keys?.size === 0) this.#byTarget.delete(target);
    }
    if (!entry.slot) return;
    const { bucket, text } = entry.slot;
    const groups = this.#buckets.get(bucket);
    const names = groups?.get(text)?.names;
    names?.delete(entry.name);
    if (names?.size === 0) groups?.delete(text);
    if (groups?.size === 0) this.#buckets.delete(bucket);
  }

  #watch(prefix: string): void {
    if (this.#watched.has(prefix)) return;
    const { store } = this.#parts;
    const leave = store.watch(prefix, store.revision, ({ key }) => {
      for (const autoscaler of this.#byTarget.get(key) ?? []) this.#changed.add(autoscaler);
    });
    this.#watched.set(prefix, leave);
  }
}

function referenceOf(autoscaler: JsonObject): JsonObject {
  return structAt(autoscaler, 'spec.scaleTargetRef');
}

/** Selectors that require no label with a fixed value share one bucket for each namespace. */
function bucketOf(namespace: string, selector: LabelSelector): string {
  const required = selector.find(
    ({ operator, values }) => ['=', '==', 'in'].includes(operator) && values.length === 1,
  );
  return required ? `${namespace} ${required.key}=${required.values[0]}` : namespace;
}

/** The buckets of all selectors that may select the pod. */
function bucketsOf(namespace: string, pod: JsonObject): readonly string[] {
  const pairs = Object.entries(labelsOf(pod));
  return [namespace, ...pairs.map(([key, value]) => `${namespace} ${key}=${value}`)];
}

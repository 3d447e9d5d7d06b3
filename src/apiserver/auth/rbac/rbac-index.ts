/**
 * Indexes roles and bindings by subject, and follows the store.
 *
 *     user and groups ──> bindings that name them ──> roles ──> rules
 *
 * The store notifies this index before it acknowledges a write, so a new permission applies to the user's
 * next request.
 */
import type { JsonObject } from '../../../lib/json.ts';
import type { ObjectStore, StoreEvent } from '../../../ports/api/object-store.ts';
import type { User } from '../../objects/access.ts';
import { readObjects, readStruct, readText } from '../../../api/validation/json-reading.ts';
import { metadataOf, nameOf, textOf } from '../../objects/metadata.ts';
import { usernameOf } from '../service-account-name.ts';
import { readRules, type PolicyRule } from './policy-rule.ts';

export interface RoleReference {
  readonly kind: string;
  readonly name: string;
}

/** A binding that applies to a user, with the first of its subjects that matches. */
export interface Grant {
  readonly roleRef: RoleReference;
  /** Empty: cluster-wide. */
  readonly namespace: string;
  readonly bindingName: string;
  readonly subject: RbacSubject;
}

export interface RbacSubject {
  readonly kind: string;
  readonly name: string;
  /** For a ServiceAccount: the subject's namespace, or else the binding's. */
  readonly namespace: string;
}

interface Binding {
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly roleRef: RoleReference;
  readonly subjects: readonly RbacSubject[];
  /** The index key of each subject. */
  readonly subjectKeys: readonly string[];
}

const PREFIX = '/rbac.authorization.k8s.io/';
const [ROLES, CLUSTER_ROLES] = [`${PREFIX}roles/`, `${PREFIX}clusterroles/`];
const [BINDINGS, CLUSTER_BINDINGS] = [`${PREFIX}rolebindings/`, `${PREFIX}clusterrolebindings/`];

export class RbacIndex {
  /** By the role's key in the store. */
  readonly #roles = new Map<string, readonly PolicyRule[]>();
  readonly #bindings = new Map<string, Binding>();
  /** The keys of bindings, by namespace (empty: cluster-wide) and subject. */
  readonly #bySubject = new Map<string, Set<string>>();
  readonly #stop: () => void;

  constructor(store: ObjectStore) {
    const { objects, revision } = store.list(PREFIX);
    for (const { key, value } of objects) this.#put(key, value);
    this.#stop = store.watch(PREFIX, revision, (event) => this.#follow(event));
  }

  stop(): void {
    this.#stop();
  }

  /** Undefined: there is no such role. */
  rulesOf({ kind, name }: RoleReference, namespace: string): readonly PolicyRule[] | undefined {
    const prefix = kind === 'ClusterRole' ? CLUSTER_ROLES : `${ROLES}${namespace}/`;
    return this.#roles.get(`${prefix}${name}`);
  }

  /** Cluster-wide grants first. */
  grantsFor(user: User, namespace: string): readonly Grant[] {
    const everywhere = this.#grantsIn(user, '');
    return namespace === '' ? everywhere : [...everywhere, ...this.#grantsIn(user, namespace)];
  }

  #grantsIn(user: User, namespace: string): readonly Grant[] {
    const keys = new Set<string>();
    const subjectKeys = new Set([
      `user ${user.name}`,
      ...user.groups.map((group) => `group ${group}`),
    ]);
    for (const word of subjectKeys) {
      for (const key of this.#bySubject.get(`${namespace}/${word}`) ?? []) keys.add(key);
    }
    return [...keys].toSorted().flatMap((key) => {
      const binding = this.#bindings.get(key);
      const subject = binding?.subjects.find((_, at) =>
        subjectKeys.has(binding.subjectKeys[at] ?? ''),
      );
      if (!binding || !subject) return [];
      const { roleRef, name: bindingName } = binding;
      return [{ roleRef, namespace, bindingName, subject }];
    });
  }

  #follow({ type, key, value }: StoreEvent): void {
    this.#remove(key);
    if (type === 'put') this.#put(key, value);
  }

  #put(key: string, value: JsonObject): void {
    if (key.startsWith(ROLES) || key.startsWith(CLUSTER_ROLES)) {
      this.#roles.set(key, readRules(value));
    } else if (key.startsWith(BINDINGS) || key.startsWith(CLUSTER_BINDINGS)) {
      const binding = readBinding(key, value);
      this.#bindings.set(key, binding);
      for (const place of indexKeysOf(binding)) {
        const keys = this.#bySubject.get(place) ?? new Set();
        this.#bySubject.set(place, keys.add(key));
      }
    }
  }

  #remove(key: string): void {
    this.#roles.delete(key);
    const binding = this.#bindings.get(key);
    if (!binding) return;
    this.#bindings.delete(key);
    for (const place of indexKeysOf(binding)) {
      const keys = this.#bySubject.get(place);
      keys?.delete(key);
      if (keys?.size === 0) this.#bySubject.delete(place);
    }
  }
}

function readBinding(key: string, object: JsonObject): Binding {
  const namespace = key.startsWith(BINDINGS) ? textOf(metadataOf(object)['namespace']) : '';
  const { kind, name } = readStruct(object['roleRef']);
  const subjects = readObjects(object['subjects']).map((subject) => ({
    kind: readText(subject['kind']),
    name: readText(subject['name']),
    namespace: readText(subject['namespace']) || namespace,
  }));
  const roleRef = { kind: readText(kind), name: readText(name) };
  const subjectKeys = subjects.map(subjectKeyOf);
  return { key, namespace, name: nameOf(object), roleRef, subjects, subjectKeys };
}

/** The index keys of a binding. */
function indexKeysOf({ namespace, subjectKeys }: Binding): readonly string[] {
  return subjectKeys.map((word) => `${namespace}/${word}`);
}

/**
 * A ServiceAccount is the user `system:serviceaccount:NAMESPACE:NAME`. Without a namespace it matches no
 * user.
 */
function subjectKeyOf({ kind, name, namespace }: RbacSubject): string {
  if (kind === 'Group') return `group ${name}`;
  if (kind === 'User') return `user ${name}`;
  if (kind !== 'ServiceAccount' || namespace === '') return 'nobody';
  return `user ${usernameOf({ namespace, name })}`;
}

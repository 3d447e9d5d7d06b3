/**
 * Tracks which objects the pods of a node refer to, by following the store.
 *
 *     secret, configmap, claim, service account ──> pod ──> node
 *     secret ──> persistent volume ──> claim ──> pod ──> node        volume attachment ──> node
 *
 * A pod's status changes often, its references hardly ever, so most changes of a pod are skipped.
 */
import type { JsonObject } from '../../../lib/json.ts';
import type { ObjectStore, StoreEvent } from '../../../ports/api/object-store.ts';
import { objectsAt, textAt } from '../../objects/field-path.ts';
import { readTextMap } from '../../../api/validation/json-reading.ts';
import { metadataOf, nameOf, textOf } from '../../objects/metadata.ts';
import {
  claimsOf,
  configMapsOf,
  secretsOf,
  volumeSecretsOf,
} from '../../admission/pod-references.ts';

export type Kept =
  | 'configmaps'
  | 'persistentvolumeclaims'
  | 'persistentvolumes'
  | 'pods'
  | 'secrets'
  | 'serviceaccounts'
  | 'volumeattachments';

const PODS = '/core/pods/';
const VOLUMES = '/core/persistentvolumes/';
const ATTACHMENTS = '/storage.k8s.io/volumeattachments/';
const MIRROR = 'kubernetes.io/config.mirror';

export class NodeGraph {
  /** For each object that pods refer to: the nodes of those pods, with their number. */
  readonly #nodesOf = new Map<string, Map<string, number>>();
  /** By the pod's key: its node and references, as counted in #nodesOf. */
  readonly #pods = new Map<
    string,
    { readonly node: string; readonly references: readonly string[] }
  >();
  /** By the volume's name: its claim, as a key of #nodesOf. */
  readonly #claimOf = new Map<string, string>();
  /** By the key of a Secret: the PersistentVolumes that refer to it. */
  readonly #volumesOf = new Map<string, Set<string>>();
  readonly #attachedTo = new Map<string, string>();
  readonly #stops: readonly (() => void)[];

  constructor(store: ObjectStore) {
    this.#stops = [
      follow(store, PODS, (event) => this.#followPod(event)),
      follow(store, VOLUMES, (event) => this.#followVolume(event)),
      follow(store, ATTACHMENTS, (event) => this.#followAttachment(event)),
    ];
  }

  stop(): void {
    for (const stop of this.#stops) stop();
  }

  isRelated(node: string, kind: Kept, namespace: string, name: string): boolean {
    if (kind === 'volumeattachments') return this.#attachedTo.get(name) === node;
    if (kind === 'persistentvolumes') return this.#hasVolume(node, name);
    const word = wordOf(kind, namespace, name);
    if (this.#isNamedOn(node, word)) return true;
    return [...(this.#volumesOf.get(word) ?? [])].some((volume) => this.#hasVolume(node, volume));
  }

  #hasVolume(node: string, volume: string): boolean {
    const claim = this.#claimOf.get(volume);
    return claim !== undefined && this.#isNamedOn(node, claim);
  }

  #isNamedOn(node: string, word: string): boolean {
    return this.#nodesOf.get(word)?.has(node) ?? false;
  }

  #followPod({ type, key, value, before }: Followed): void {
    if (type === 'put' && before && isSamePod(before, value)) return;
    this.#forgetPod(key);
    const node = textAt(value, 'spec.nodeName');
    if (type === 'delete' || node === '') return;
    const references = referencesOfPod(value);
    this.#pods.set(key, { node, references });
    for (const word of references) {
      const nodes = this.#nodesOf.get(word) ?? new Map<string, number>();
      this.#nodesOf.set(word, nodes.set(node, (nodes.get(node) ?? 0) + 1));
    }
  }

  #forgetPod(key: string): void {
    const pod = this.#pods.get(key);
    if (!pod) return;
    this.#pods.delete(key);
    for (const word of pod.references) {
      const nodes = this.#nodesOf.get(word);
      const count = nodes?.get(pod.node) ?? 0;
      if (count > 1) nodes?.set(pod.node, count - 1);
      else nodes?.delete(pod.node);
      if (nodes?.size === 0) this.#nodesOf.delete(word);
    }
  }

  #followVolume({ type, value, before }: Followed): void {
    const name = nameOf(value);
    this.#claimOf.delete(name);
    for (const secret of before ? secretReferences(before) : []) {
      this.#volumesOf.get(secret)?.delete(name);
      if (this.#volumesOf.get(secret)?.size === 0) this.#volumesOf.delete(secret);
    }
    const claim = textAt(value, 'spec.claimRef.name');
    if (type === 'delete' || claim === '') return;
    const namespace = textAt(value, 'spec.claimRef.namespace');
    this.#claimOf.set(name, wordOf('persistentvolumeclaims', namespace, claim));
    for (const secret of secretReferences(value)) {
      const volumes = this.#volumesOf.get(secret) ?? new Set();
      this.#volumesOf.set(secret, volumes.add(name));
    }
  }

  #followAttachment({ type, value }: Followed): void {
    const node = textAt(value, 'spec.nodeName');
    if (type === 'delete' || node === '') this.#attachedTo.delete(nameOf(value));
    else this.#attachedTo.set(nameOf(value), node);
  }
}

type Followed = Pick<StoreEvent, 'type' | 'key' | 'value' | 'before'>;

function follow(
  store: ObjectStore,
  prefix: string,
  listener: (event: Followed) => void,
): () => void {
  const { objects, revision } = store.list(prefix);
  for (const { key, value } of objects) listener({ type: 'put', key, value, before: null });
  return store.watch(prefix, revision, listener);
}

/** Only a new pod, a binding and ephemeral containers add references. */
function isSamePod(before: JsonObject, now: JsonObject): boolean {
  return (
    metadataOf(before)['uid'] === metadataOf(now)['uid'] &&
    textAt(before, 'spec.nodeName') === textAt(now, 'spec.nodeName') &&
    objectsAt(before, 'spec.ephemeralContainers').length ===
      objectsAt(now, 'spec.ephemeralContainers').length
  );
}

function referencesOfPod(pod: JsonObject): readonly string[] {
  const { namespace, annotations } = metadataOf(pod);
  const word = (kind: Kept, name: string): string => wordOf(kind, textOf(namespace), name);
  const own = word('pods', nameOf(pod));
  // A kubelet creates mirror pods itself, so they must not give it access to other objects.
  if (readTextMap(annotations).has(MIRROR)) return [own];
  const account = textAt(pod, 'spec.serviceAccountName');
  return [
    own,
    ...(account === '' ? [] : [word('serviceaccounts', account)]),
    ...secretsOf(pod).map((name) => word('secrets', name)),
    ...configMapsOf(pod).map((name) => word('configmaps', name)),
    ...claimsOf(pod).map((name) => word('persistentvolumeclaims', name)),
  ];
}

function secretReferences(volume: JsonObject): readonly string[] {
  return volumeSecretsOf(volume).map(({ namespace, name }) => wordOf('secrets', namespace, name));
}

function wordOf(kind: Kept, namespace: string, name: string): string {
  return `${kind}/${namespace}/${name}`;
}

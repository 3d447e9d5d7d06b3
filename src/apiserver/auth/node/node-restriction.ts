/**
 * What a kubelet may write: its own node without what steers pods to it, its own lease and CSINode, the
 * status of its pods, mirror pods that open nothing to it, and tokens for its pods.
 */
import { jsonEqual } from '../../../api/json-equal.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { ObjectStore } from '../../../ports/object-store.ts';
import type { Admission, AdmissionRequest } from '../../admission/admission.ts';
import { objectsAt, structAt, textAt, valueAt } from '../../kinds/field-path.ts';
import { readStruct } from '../../kinds/validation/json-reading.ts';
import { metadataOf, nameOf, textOf } from '../../metadata.ts';
import { forbidden, notFound, type StatusError } from '../../status.ts';
import { nodeNameOf } from '../groups.ts';
import { saidNameOf } from '../said-name.ts';
import { checkMirrorPod } from './mirror-pod.ts';
import { forbiddenLabels, labelChanges } from './node-labels.ts';
import { checkNodeCertificateRequest } from './node-certificate-request.ts';
import { NodeTokens, type AskAuthorizer } from './node-tokens.ts';

const LEASES = 'kube-node-lease';

/** A request, and which node makes it. */
interface FromNode extends AdmissionRequest {
  readonly node: string;
}

export class NodeRestriction implements Admission {
  readonly #store: ObjectStore;
  readonly #tokens: NodeTokens;

  /** `ask`: whether a node may have a token for an audience that its pod does not name. */
  constructor(store: ObjectStore, ask: AskAuthorizer) {
    this.#store = store;
    this.#tokens = new NodeTokens(store, ask);
  }

  admit(request: AdmissionRequest): JsonObject {
    const { user, object } = request;
    const node = nodeNameOf(user);
    if (node === null) return object;
    const why =
      node === ''
        ? `could not determine node from user ${JSON.stringify(user.name)}`
        : this.#judge({ ...request, node });
    if (why !== null) throw refusal(request, why);
    return object;
  }

  /** Why not. Null: it may. */
  #judge(request: FromNode): string | null {
    const { group, resource } = request.definition;
    switch (`${group}/${resource}`) {
      case '/pods':
        return this.#judgePod(request);
      case '/nodes':
        return judgeNode(request);
      case '/persistentvolumeclaims':
        return judgeClaim(request);
      case '/serviceaccounts':
        return this.#judgeServiceAccount(request);
      case 'coordination.k8s.io/leases':
        return judgeLease(request);
      case 'storage.k8s.io/csinodes':
        return judgeOwnName(request, 'CSINode');
      case 'certificates.k8s.io/certificatesigningrequests':
        return checkNodeCertificateRequest(request, request.node);
      default:
        return null;
    }
  }

  #judgePod(request: FromNode): string | null {
    const { verb, subresource, object, old, node } = request;
    switch (subresource) {
      case null:
        if (verb === 'create') {
          return checkMirrorPod(object, node, () => this.#find('nodes', '', node));
        }
        if (verb === 'delete') return judgePodDeletion(object, node);
        return (
          `unexpected operation "UPDATE", node ${JSON.stringify(node)} ` +
          'can only create and delete mirror pods'
        );
      case 'status':
        return judgePodStatus(object, old ?? {}, node);
      case 'eviction':
        return this.#judgeEviction(request);
      default:
        return (
          `unexpected pod subresource ${JSON.stringify(subresource)}, ` +
          "only 'status' and 'eviction' are allowed"
        );
    }
  }

  #judgeEviction({ node, namespace, name, object }: FromNode): string | null {
    const pod = this.#find('pods', namespace, name || nameOf(object));
    if (textAt(pod, 'spec.nodeName') === node) return null;
    return `node ${node} can only evict pods with spec.nodeName set to itself`;
  }

  #judgeServiceAccount(request: FromNode): string | null {
    const { verb, subresource, node } = request;
    if (verb !== 'create' || subresource !== 'token') return null;
    return this.#tokens.judge(request, node);
  }

  #find(resource: string, namespace: string, name: string): JsonObject {
    const place = namespace === '' ? name : `${namespace}/${name}`;
    const found = this.#store.get(`/core/${resource}/${place}`)?.value;
    if (!found) throw notFound({ group: '', resource }, name);
    return found;
  }
}

function refusal(request: AdmissionRequest, why: string): StatusError {
  const { definition, object, subresource, name } = request;
  const said = subresource === null ? saidNameOf(request) : name;
  const { generateName } = metadataOf(object);
  return forbidden(definition, said || textOf(generateName) || 'Unknown', why);
}

function judgePodDeletion(pod: JsonObject, node: string): string | null {
  if (textAt(pod, 'spec.nodeName') === node) return null;
  return `node ${JSON.stringify(node)} can only delete pods with spec.nodeName set to itself`;
}

function judgePodStatus(pod: JsonObject, old: JsonObject, node: string): string | null {
  const who = `node ${JSON.stringify(node)}`;
  if (textAt(old, 'spec.nodeName') !== node) {
    return `${who} can only update pod status for pods with spec.nodeName set to itself`;
  }
  if (!isSame(pod, old, 'metadata.labels')) return `${who} cannot update labels through pod status`;
  if (!jsonEqual(objectsAt(pod, CLAIMS), objectsAt(old, CLAIMS))) {
    return `${who} cannot update resource claim statues`;
  }
  if (!isSame(pod, old, 'status.extendedResourceClaimStatus')) {
    return `${who} cannot update extended resource claim status`;
  }
  return null;
}

const CLAIMS = 'status.resourceClaimStatuses';

function judgeNode({ verb, object, old, name, node }: FromNode): string | null {
  const who = `node ${JSON.stringify(node)}`;
  if (name !== node) return `${who} is not allowed to modify node ${JSON.stringify(name)}`;
  if (verb === 'delete') return null;
  const before = old ?? {};
  const source = valueAt(object, 'spec.configSource');
  const hasNewSource = source !== undefined && !isSame(object, before, 'spec.configSource');
  const labels = forbiddenLabels(labelChanges(object, before)).join(', ');
  if (!old) {
    if (hasNewSource) return `${who} is not allowed to create pods with a non-nil configSource`;
    return labels === '' ? null : `${who} is not allowed to set the following labels: ${labels}`;
  }
  if (hasNewSource) {
    return `${who} is not allowed to update configSource to a new non-nil configSource`;
  }
  if (!isSame(object, old, 'spec.taints')) return `${who} is not allowed to modify taints`;
  if (!isSame(object, old, 'metadata.ownerReferences')) {
    return `${who} is not allowed to modify ownerReferences`;
  }
  return labels === '' ? null : `is not allowed to modify labels: ${labels}`;
}

/** Only what a kubelet finds out when it has made a volume bigger. */
const CLAIM_STATUS: ReadonlySet<string> = new Set([
  'allocatedResourceStatuses',
  'allocatedResources',
  'capacity',
  'conditions',
]);

function judgeClaim({ verb, subresource, object, old, node }: FromNode): string | null {
  if (subresource !== 'status') return 'may only update PVC status';
  if (verb !== 'update') return `unexpected operation ${JSON.stringify(verb.toUpperCase())}`;
  if (jsonEqual(withoutOwn(object), withoutOwn(old ?? {}))) return null;
  return (
    `node ${JSON.stringify(node)} is not allowed to update fields other than ` +
    'status.quantity and status.conditions'
  );
}

function withoutOwn(claim: JsonObject): JsonObject {
  const { resourceVersion: _version, managedFields: _managed, ...metadata } = metadataOf(claim);
  const status = Object.entries(readStruct(claim['status'])).filter(
    ([field]) => !CLAIM_STATUS.has(field),
  );
  return { ...claim, metadata, status: Object.fromEntries(status) };
}

function judgeLease(request: FromNode): string | null {
  if (request.namespace === LEASES) return judgeOwnName(request, 'node lease');
  return `can only access leases in the ${JSON.stringify(LEASES)} system namespace`;
}

function judgeOwnName({ object, node }: FromNode, what: string): string | null {
  if (nameOf(object) === node) return null;
  return `can only access ${what} with the same name as the requesting node`;
}

/** Nothing and an empty one are the same. */
function isSame(object: JsonObject, old: JsonObject, path: string): boolean {
  const [now, before] = [valueAt(object, path), valueAt(old, path)];
  if (Array.isArray(now) || Array.isArray(before)) {
    return jsonEqual(objectsAt(object, path), objectsAt(old, path));
  }
  return jsonEqual(structAt(object, path), structAt(old, path));
}

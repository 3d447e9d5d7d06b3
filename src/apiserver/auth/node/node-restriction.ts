/**
 * Admission plugin NodeRestriction: a kubelet may write only its own Node (without labels and taints that
 * attract pods), its own Lease and CSINode, the status of its pods, mirror pods that give it no access, and
 * tokens for its pods.
 */
import { jsonEqual } from '../../../api/values/json-equal.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { ObjectStore } from '../../../ports/api/object-store.ts';
import type { Admission, AdmissionRequest } from '../../registry/admission.ts';
import { objectsAt, structAt, textAt, valueAt } from '../../objects/field-path.ts';
import { readStruct } from '../../../api/validation/json-reading.ts';
import { metadataOf, nameOf, textOf } from '../../objects/metadata.ts';
import { forbidden, notFound, type StatusError } from '../../objects/status.ts';
import { nodeNameOf } from '../../objects/groups.ts';
import { requestedNameOf } from '../requested-name.ts';
import { checkMirrorPod } from './mirror-pod.ts';
import { forbiddenLabels, labelChanges } from './node-labels.ts';
import { checkNodeCertificateRequest } from './node-certificate-request.ts';
import { NodeTokens, type AskAuthorizer } from './node-tokens.ts';

const LEASES = 'kube-node-lease';

/** An admission request, with the node that sent it. */
interface FromNode extends AdmissionRequest {
  readonly node: string;
}

export class NodeRestriction implements Admission {
  readonly #store: ObjectStore;
  readonly #tokens: NodeTokens;

  /** `ask`: checks whether a node may have a token for an audience that its pod does not name. */
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
        : this.#evaluate({ ...request, node });
    if (why !== null) throw refusal(request, why);
    return object;
  }

  /** The reason for a refusal. Null: the request is allowed. */
  #evaluate(request: FromNode): string | null {
    const { group, resource } = request.definition;
    switch (`${group}/${resource}`) {
      case '/pods':
        return this.#authorizePod(request);
      case '/nodes':
        return authorizeNode(request);
      case '/persistentvolumeclaims':
        return authorizeClaim(request);
      case '/serviceaccounts':
        return this.#authorizeServiceAccount(request);
      case 'coordination.k8s.io/leases':
        return authorizeLease(request);
      case 'storage.k8s.io/csinodes':
        return authorizeOwnName(request, 'CSINode');
      case 'certificates.k8s.io/certificatesigningrequests':
        return checkNodeCertificateRequest(request, request.node);
      default:
        return null;
    }
  }

  #authorizePod(request: FromNode): string | null {
    const { verb, subresource, object, old, node } = request;
    switch (subresource) {
      case null:
        if (verb === 'create') {
          return checkMirrorPod(object, node, () => this.#find('nodes', '', node));
        }
        if (verb === 'delete') return authorizePodDeletion(object, node);
        return (
          `unexpected operation "UPDATE", node ${JSON.stringify(node)} ` +
          'can only create and delete mirror pods'
        );
      case 'status':
        return authorizePodStatus(object, old ?? {}, node);
      case 'eviction':
        return this.#authorizeEviction(request);
      default:
        return (
          `unexpected pod subresource ${JSON.stringify(subresource)}, ` +
          "only 'status' and 'eviction' are allowed"
        );
    }
  }

  #authorizeEviction({ node, namespace, name, object }: FromNode): string | null {
    const pod = this.#find('pods', namespace, name || nameOf(object));
    if (textAt(pod, 'spec.nodeName') === node) return null;
    return `node ${node} can only evict pods with spec.nodeName set to itself`;
  }

  #authorizeServiceAccount(request: FromNode): string | null {
    const { verb, subresource, node } = request;
    if (verb !== 'create' || subresource !== 'token') return null;
    return this.#tokens.evaluate(request, node);
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
  const given = subresource === null ? requestedNameOf(request) : name;
  const { generateName } = metadataOf(object);
  return forbidden(definition, given || textOf(generateName) || 'Unknown', why);
}

function authorizePodDeletion(pod: JsonObject, node: string): string | null {
  if (textAt(pod, 'spec.nodeName') === node) return null;
  return `node ${JSON.stringify(node)} can only delete pods with spec.nodeName set to itself`;
}

function authorizePodStatus(pod: JsonObject, old: JsonObject, node: string): string | null {
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

function authorizeNode({ verb, object, old, name, node }: FromNode): string | null {
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

/** The fields that a kubelet updates after it has resized a volume. */
const CLAIM_STATUS: ReadonlySet<string> = new Set([
  'allocatedResourceStatuses',
  'allocatedResources',
  'capacity',
  'conditions',
]);

function authorizeClaim({ verb, subresource, object, old, node }: FromNode): string | null {
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

function authorizeLease(request: FromNode): string | null {
  if (request.namespace === LEASES) return authorizeOwnName(request, 'node lease');
  return `can only access leases in the ${JSON.stringify(LEASES)} system namespace`;
}

function authorizeOwnName({ object, node }: FromNode, what: string): string | null {
  if (nameOf(object) === node) return null;
  return `can only access ${what} with the same name as the requesting node`;
}

/** Absent and empty are equal. */
function isSame(object: JsonObject, old: JsonObject, path: string): boolean {
  const [now, before] = [valueAt(object, path), valueAt(old, path)];
  if (Array.isArray(now) || Array.isArray(before)) {
    return jsonEqual(objectsAt(object, path), objectsAt(old, path));
  }
  return jsonEqual(structAt(object, path), structAt(old, path));
}

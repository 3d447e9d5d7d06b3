/**
 * Node authorizer: allows kubelets what every kubelet needs, but Secrets, ConfigMaps, volumes and tokens only
 * for pods on their own node. The NodeRestriction plugin, which sees the object, checks writes again.
 */
import type { ObjectStore } from '../../../ports/api/object-store.ts';
import type { FieldSelector } from '../../../api/values/field-selector.ts';
import type { AccessDecision, Attributes, ResourceAttributes, User } from '../../objects/access.ts';
import { ALLOWED, deny, type Authorizer, type RulesFound } from '../authorizer.ts';
import { nodeNameOf } from '../../objects/groups.ts';
import { ruleAllows, type PolicyRule } from '../rbac/policy-rule.ts';
import { NodeGraph, type Kept } from './node-graph.ts';

const LEASES = 'kube-node-lease';

/** The attributes of a request, with the node that sent it. */
interface Wanted extends ResourceAttributes {
  readonly node: string;
  /** Present for a list or a watch. */
  readonly fieldSelector?: FieldSelector;
}

type Authorize = (this: void, wanted: Wanted, graph: NodeGraph) => AccessDecision;

export class NodeAuthorizer implements Authorizer {
  readonly #store: ObjectStore;
  readonly #rules: readonly PolicyRule[];
  #graph: NodeGraph | null = null;

  /** `rules`: the permissions that every node has on resources that this file does not handle. */
  constructor(store: ObjectStore, rules: readonly PolicyRule[]) {
    this.#store = store;
    this.#rules = rules;
  }

  authorize(user: User, attributes: Attributes): AccessDecision {
    const node = nodeNameOf(user);
    if (node === null) return deny();
    if (node === '') return deny(`unknown node for user ${JSON.stringify(user.name)}`);
    if (!('path' in attributes)) {
      const { group, resource } = attributes;
      const evaluate = AUTHORIZERS.get(`${group}/${resource}`);
      // The graph is built on first use: most servers never get a request of a kubelet in another process.
      if (evaluate)
        return evaluate({ ...attributes, node }, (this.#graph ??= new NodeGraph(this.#store)));
    }
    return this.#rules.some((rule) => ruleAllows(rule, attributes)) ? ALLOWED : deny();
  }

  rulesFor(user: User): RulesFound {
    if (nodeNameOf(user) === null) return { rules: [], isIncomplete: false, errors: [] };
    const errors = ['node authorizer does not support user rule resolution'];
    return { rules: [], isIncomplete: true, errors };
  }

  stop(): void {
    this.#graph?.stop();
  }
}

const AUTHORIZERS: ReadonlyMap<string, Authorize> = new Map<string, Authorize>([
  ['/secrets', authorizeReading('secrets')],
  ['/configmaps', authorizeReading('configmaps')],
  ['/persistentvolumeclaims', authorizeClaim],
  ['/persistentvolumes', authorizeGetting('persistentvolumes')],
  ['storage.k8s.io/volumeattachments', authorizeGetting('volumeattachments')],
  ['/serviceaccounts', authorizeServiceAccount],
  ['coordination.k8s.io/leases', authorizeLease],
  ['storage.k8s.io/csinodes', authorizeCsiNode],
  ['/nodes', authorizeNode],
  ['/pods', authorizePod],
]);

/** Allows reading single objects: a list or a watch must name the object. */
function authorizeReading(kind: Kept): Authorize {
  return (wanted, graph) => {
    const { verb, subresource, namespace } = wanted;
    if (!['get', 'list', 'watch'].includes(verb)) {
      return deny('can only read resources of this type');
    }
    if (subresource !== '') return deny('cannot read subresource');
    if (namespace === '') return deny('can only read namespaced object of this type');
    return authorizeRelation(kind, wanted, graph);
  };
}

function authorizeGetting(kind: Kept): Authorize {
  return (wanted, graph) => {
    if (wanted.verb !== 'get') return deny('can only get individual resources of this type');
    if (wanted.subresource !== '') return deny('cannot get subresource');
    return authorizeRelation(kind, wanted, graph);
  };
}

function authorizeRelation(kind: Kept, wanted: Wanted, graph: NodeGraph): AccessDecision {
  const { node, namespace, name } = wanted;
  if (name === '') return deny('No Object name found');
  if (graph.isRelated(node, kind, namespace, name)) return ALLOWED;
  return deny(`no relationship found between node '${node}' and this object`);
}

function authorizeClaim(wanted: Wanted, graph: NodeGraph): AccessDecision {
  const kind = 'persistentvolumeclaims';
  if (wanted.subresource !== 'status') return authorizeGetting(kind)(wanted, graph);
  if (!['update', 'patch'].includes(wanted.verb)) {
    return deny('can only get/update/patch this type');
  }
  return authorizeRelation(kind, wanted, graph);
}

function authorizeServiceAccount(wanted: Wanted, graph: NodeGraph): AccessDecision {
  const { verb, name, subresource } = wanted;
  if (verb === 'get' && subresource === '')
    return authorizeReading('serviceaccounts')(wanted, graph);
  if (verb !== 'create' || name === '') {
    return deny('can only create tokens for individual service accounts');
  }
  if (subresource !== 'token') {
    return deny('can only create token subresource of serviceaccount');
  }
  return authorizeRelation('serviceaccounts', wanted, graph);
}

const OWN_VERBS: ReadonlySet<string> = new Set(['get', 'create', 'update', 'patch', 'delete']);

function authorizeLease({ verb, namespace, name, node }: Wanted): AccessDecision {
  if (!OWN_VERBS.has(verb)) {
    return deny('can only get, create, update, patch, or delete a node lease');
  }
  if (namespace !== LEASES) {
    return deny(`can only access leases in the ${JSON.stringify(LEASES)} system namespace`);
  }
  // A create has no name in the path: NodeRestriction checks the object.
  if (verb === 'create' || name === node) return ALLOWED;
  return deny('can only access node lease with the same name as the requesting node');
}

function authorizeCsiNode({ verb, subresource, name, node }: Wanted): AccessDecision {
  if (!OWN_VERBS.has(verb)) {
    return deny('can only get, create, update, patch, or delete a CSINode');
  }
  if (subresource !== '') return deny('cannot authorize CSINode subresources');
  if (verb === 'create' || name === node) return ALLOWED;
  return deny('can only access CSINode with the same name as the requesting node');
}

function authorizeNode({ verb, subresource, name, node }: Wanted): AccessDecision {
  if (subresource === 'status') return ['update', 'patch'].includes(verb) ? ALLOWED : deny();
  if (subresource !== '') return deny();
  if (['create', 'update', 'patch'].includes(verb)) return ALLOWED;
  if (!['get', 'list', 'watch'].includes(verb)) return deny();
  if (name === node) return ALLOWED;
  return deny(
    name === ''
      ? `node '${node}' cannot read all nodes, only its own Node object`
      : `node '${node}' cannot read '${name}', only its own Node object`,
  );
}

function authorizePod(wanted: Wanted, graph: NodeGraph): AccessDecision {
  const { verb, subresource } = wanted;
  switch (subresource) {
    case 'status':
      return ['update', 'patch'].includes(verb) ? ALLOWED : deny();
    case 'eviction':
      return verb === 'create' ? ALLOWED : deny();
    case '':
      break;
    default:
      return deny();
  }
  if (verb === 'get') return authorizeRelation('pods', wanted, graph);
  if (verb === 'create' || verb === 'delete') return ALLOWED;
  return verb === 'list' || verb === 'watch' ? authorizePodList(wanted, graph) : deny();
}

/** Allows pods that a field selector restricts to the own node, or one pod that is known to run there. */
function authorizePodList(wanted: Wanted, graph: NodeGraph): AccessDecision {
  const isOwn = wanted.fieldSelector?.some(
    ({ field, operator, value }) =>
      field === 'spec.nodeName' && operator === '=' && value === wanted.node,
  );
  if (isOwn === true) return ALLOWED;
  if (wanted.name !== '') return authorizeRelation('pods', wanted, graph);
  return deny('can only list/watch pods with spec.nodeName field selector');
}

/** Defines the kinds Pod and Binding, and the subresources of pods. */
import type { KindDefinition, Subresource } from '../../objects/kind.ts';
import { plainKind, proxySubresource } from '../../objects/plain-kind.ts';
import { POD } from '../pod/definition.ts';
import { POD_SUBRESOURCES } from '../pod/subresources.ts';

/** Binds a pod to a node. A Binding is executed and not stored. */
export const bindings = plainKind('v1', {
  kind: 'Binding',
  resource: 'bindings',
  verbs: ['create'],
});

const evictions = plainKind('policy/v1', {
  kind: 'Eviction',
  resource: 'evictions',
  verbs: ['create'],
});

const BODIES: ReadonlyMap<string, KindDefinition> = new Map([
  ['binding', bindings],
  ['eviction', evictions],
]);

/** Subresources that the kubelet of the pod's node, or the pod itself, serves. */
const CONNECTED: readonly Subresource[] = [
  streamTo('attach', 'PodAttachOptions'),
  streamTo('exec', 'PodExecOptions'),
  { name: 'log', verbs: ['get'], kind: 'Pod', connects: 'log' },
  streamTo('portforward', 'PodPortForwardOptions'),
  proxySubresource('PodProxyOptions'),
];

export const pods: KindDefinition = {
  ...POD,
  subresources: [...(POD.subresources ?? []), ...CONNECTED]
    .map((part) => withBody(withOwnRules(part)))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
};

function streamTo(name: string, kind: string): Subresource {
  return { name, verbs: ['create', 'get'], kind, connects: 'stream' };
}

function withOwnRules(subresource: Subresource): Subresource {
  const rules = POD_SUBRESOURCES.get(subresource.name);
  if (!rules) return subresource;
  return { ...subresource, prepareForUpdate: rules.prepare, validateUpdate: rules.validate };
}

function withBody(subresource: Subresource): Subresource {
  const body = BODIES.get(subresource.name);
  return body ? { ...subresource, body } : subresource;
}

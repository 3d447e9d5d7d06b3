/** Reads the objects that the explanation of a node or a workload needs. */
import {
  newestReplicaSet,
  type DeploymentInput,
} from '../../../core/explain/explain-deployment.ts';
import type { SetInput } from '../../../core/explain/explain-set.ts';
import type { NodeInput } from '../../../core/explain/explain-node.ts';
import { explainPod } from '../../../core/explain/explain-pod.ts';
import type { Explanation } from '../../../core/explain/explanation.ts';
import { objectsAt, wordAt } from '../../../core/explain/loose-json.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { eventsTarget, read, readList, type Ask } from './api-reader.ts';
import { gatherPod } from './gather-pod.ts';

/**
 * The limit of pods to explain: each takes a few requests, and one stuck pod usually explains the workload.
 */
const PODS_EXPLAINED_MAX = 20;
/** The namespace of Events about nodes. */
const NODE_EVENTS = 'default';

export async function gatherNode(ask: Ask, name: string, now: () => number): Promise<NodeInput> {
  const encoded = encodeURIComponent(name);
  const node = await ask(`/api/v1/nodes/${encoded}`);
  const selector = new URLSearchParams({ fieldSelector: `spec.nodeName=${name}`, limit: '5000' });
  const lease = `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${encoded}`;
  return {
    name,
    node,
    events: await readList(ask, eventsTarget(NODE_EVENTS, 'Node', name)),
    pods: await readList(ask, `/api/v1/pods?${selector.toString()}`),
    lease: (await read(ask, lease)).object,
    notes: [],
    now: now(),
  };
}

export async function gatherDeployment(
  ask: Ask,
  namespace: string,
  name: string,
  now: () => number,
): Promise<DeploymentInput> {
  const root = `/apis/apps/v1/namespaces/${encodeURIComponent(namespace)}`;
  const deployment = await ask(`${root}/deployments/${encodeURIComponent(name)}`);
  const uid = wordAt(deployment, 'metadata', 'uid');
  const all = await readList(ask, `${root}/replicasets?limit=500`);
  const replicaSets = all.filter((one) => isOwnedBy(one, uid));
  const newest = newestReplicaSet(replicaSets);
  return {
    namespace,
    name,
    deployment,
    events: await readList(ask, eventsTarget(namespace, 'Deployment', name)),
    replicaSets,
    pods: newest ? await explainPodsOf(ask, namespace, wordAt(newest, 'metadata', 'uid'), now) : [],
    notes: [],
    now: now(),
  };
}

export async function gatherSet(
  ask: Ask,
  kind: SetInput['kind'],
  namespace: string,
  name: string,
  now: () => number,
): Promise<SetInput> {
  const resource = `${kind.toLowerCase()}s`;
  const root = `/apis/apps/v1/namespaces/${encodeURIComponent(namespace)}`;
  const set = await ask(`${root}/${resource}/${encodeURIComponent(name)}`);
  return {
    kind,
    namespace,
    name,
    set,
    events: await readList(ask, eventsTarget(namespace, kind, name)),
    pods: await explainPodsOf(ask, namespace, wordAt(set, 'metadata', 'uid'), now),
    notes: [],
    now: now(),
  };
}

async function explainPodsOf(
  ask: Ask,
  namespace: string,
  owner: string,
  now: () => number,
): Promise<readonly Explanation[]> {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods?limit=1000`;
  const own = (await readList(ask, path)).filter((pod) => isOwnedBy(pod, owner));
  const explained: Explanation[] = [];
  for (const pod of own.toSorted((a, b) => Number(isReady(a)) - Number(isReady(b)))) {
    if (explained.length >= PODS_EXPLAINED_MAX) break;
    const name = wordAt(pod, 'metadata', 'name');
    explained.push(explainPod(await gatherPod(ask, namespace, name, now)));
  }
  return explained;
}

function isOwnedBy(object: JsonObject, uid: string): boolean {
  return objectsAt(object, 'metadata', 'ownerReferences').some((one) => wordAt(one, 'uid') === uid);
}

function isReady(pod: JsonObject): boolean {
  return objectsAt(pod, 'status', 'conditions').some(
    (one) => wordAt(one, 'type') === 'Ready' && wordAt(one, 'status') === 'True',
  );
}

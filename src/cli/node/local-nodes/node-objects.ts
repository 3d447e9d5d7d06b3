/** The objects of a node in the API: itself, its Lease, and the pods that are bound to it. */
import { drainDecision } from '../../../core/node/drain-decision.ts';
import { textOf } from '../../commands/kind-lookup.ts';
import { localVolumesIn } from '../local-volume-folders.ts';
import { defineError } from '../../../lib/errors.ts';
import { isJsonObject, type JsonObject } from '../../../lib/json.ts';
import { ApiError } from '../../../ports/api/api-client.ts';
import type { KubeApi } from '../../../ports/api/kube-api.ts';

const NODES = '/api/v1/nodes';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
const AT_ONCE = { gracePeriodSeconds: '0' };
const VOLUMES_SHOWN = 10;

const nodeNotDrained = defineError<{ name: string; pods: readonly string[] }>({
  code: 'NODE_NOT_DRAINED',
  retry: 'never',
  message: ({ name, pods }) => `node ${name} still runs ${pods.join(', ')}`,
  hint: ({ name }) => `podkeep node remove ${name} drains it first; so does kubectl drain ${name}.`,
});

const nodeHasVolumes = defineError<{ name: string; volumes: readonly string[] }>({
  code: 'NODE_HAS_VOLUMES',
  retry: 'never',
  message: ({ name, volumes }) =>
    `node ${name} has the data of ${volumes.length} volumes: ${volumes.slice(0, VOLUMES_SHOWN).join(', ')}`,
  hint: () => 'Delete their claims, or the folders of volumes that were retained, and try again.',
});

/** The folder of a node has the volumes that the local provisioner made there. Throws NODE_HAS_VOLUMES. */
export function refuseWithVolumes(name: string, nodeFolder: string): void {
  const volumes = localVolumesIn(nodeFolder);
  if (volumes.length > 0) throw nodeHasVolumes({ name, volumes });
}

export async function hasNode(api: KubeApi, name: string): Promise<boolean> {
  try {
    await api.send({ method: 'GET', path: `${NODES}/${name}` });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

/** Pods of DaemonSets and static pods end with their node. Throws NODE_NOT_DRAINED. */
export async function refuseUndrained(api: KubeApi, name: string): Promise<void> {
  const force = { force: true, deleteEmptyDirData: true };
  const left = (await podsOn(api, name)).filter(
    (pod) => drainDecision(pod, force).action === 'evict' && !isOver(pod),
  );
  if (left.length > 0) throw nodeNotDrained({ name, pods: left.map(titleOf) });
}

/** The kubelet of the node has stopped, and so have its containers: pods go without a grace period. */
export async function deleteNodeObjects(api: KubeApi, name: string): Promise<void> {
  await remove(api, `${NODES}/${name}`);
  await remove(api, `${LEASES}/${name}`);
  for (const pod of await podsOn(api, name)) {
    const { namespace, name: podName } = metadataOf(pod);
    await remove(api, `/api/v1/namespaces/${namespace}/pods/${podName}`, AT_ONCE);
  }
}

async function podsOn(api: KubeApi, name: string): Promise<readonly JsonObject[]> {
  const query = { fieldSelector: `spec.nodeName=${name}` };
  const { items } = await api.send({ method: 'GET', path: '/api/v1/pods', query });
  return Array.isArray(items) ? items.filter(isJsonObject) : [];
}

async function remove(
  api: KubeApi,
  path: string,
  query: Readonly<Record<string, string>> = {},
): Promise<void> {
  try {
    await api.send({ method: 'DELETE', path, query });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.statusCode === 404;
}

function isOver({ status }: JsonObject): boolean {
  const phase = isJsonObject(status) ? status['phase'] : undefined;
  return phase === 'Succeeded' || phase === 'Failed';
}

function titleOf(pod: JsonObject): string {
  const { namespace, name } = metadataOf(pod);
  return `${namespace}/${name}`;
}

function metadataOf({ metadata }: JsonObject): {
  readonly namespace: string;
  readonly name: string;
} {
  const { namespace, name } = isJsonObject(metadata) ? metadata : {};
  return { namespace: textOf(namespace), name: textOf(name) };
}

/**
 * Reads the objects that the explanation of a pod needs: the pod, its Events, its node, the objects that it
 * refers to, and the timeline of the node's podkeep, through the API server's node proxy.
 *
 * If the node is not a podkeep node, or the user has no permission for the proxy, a note in the explanation
 * says so.
 */
import { wordAt } from '../../../core/explain/loose-json.ts';
import { objectsNeededBy } from '../../../core/explain/pod-references.ts';
import type { PodInput, RelatedObject } from '../../../core/explain/pod-view.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { eventsTarget, NOT_FOUND, pathIn, read, readList, type Ask } from './api-reader.ts';

const RELATED_MAX = 50;
/** Requests only metadata: the contents of Secrets are not needed. */
const METADATA_ONLY =
  'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json;q=0.1';
const PLURALS = {
  ConfigMap: 'configmaps',
  Secret: 'secrets',
  PersistentVolumeClaim: 'persistentvolumeclaims',
} as const;

export async function gatherPod(
  ask: Ask,
  namespace: string,
  name: string,
  now: () => number,
): Promise<PodInput> {
  const { object: pod } = await readPod(ask, namespace, name);
  const all = await readList(ask, eventsTarget(namespace, 'Pod', name));
  const events = all.filter((event) => isAbout(event, pod));
  const nodeName = wordAt(pod ?? {}, 'spec', 'nodeName') || hostOf(events);
  const isPlaced = nodeName !== '';
  const node = isPlaced ? await read(ask, nodePath(nodeName)) : null;
  const { timeline, note } = await readTimeline(ask, nodeName, namespace, name);
  const isWithoutNode = pod !== null && !isPlaced;
  return {
    namespace,
    name,
    pod,
    events,
    node: node?.object ?? null,
    isNodeMissing: node?.object === null && node.status === NOT_FOUND,
    nodes: isWithoutNode ? await readList(ask, '/api/v1/nodes?limit=500') : [],
    nodePods: isWithoutNode ? await readList(ask, '/api/v1/pods?limit=5000') : [],
    timeline,
    related: pod ? await readRelated(ask, namespace, pod) : [],
    notes: note === null ? [] : [note],
    now: now(),
  };
}

/** Null: the pod does not exist, which its Events may explain. Any other refusal is thrown. */
async function readPod(ask: Ask, namespace: string, name: string) {
  const found = await read(ask, pathIn(namespace, 'pods', name));
  if (found.object === null && found.status !== NOT_FOUND) {
    return { object: await ask(pathIn(namespace, 'pods', name)) };
  }
  return found;
}

/**
 * Whether an Event is about this pod, not an older one of the same name: the UID decides. Events about a
 * static pod have the UID of its manifest.
 */
function isAbout(event: JsonObject, pod: JsonObject | null): boolean {
  const uid = wordAt(event, 'involvedObject', 'uid');
  if (pod === null || uid === '') return true;
  const annotations = ['kubernetes.io/config.mirror', 'kubernetes.io/config.hash'].map((key) =>
    wordAt(pod, 'metadata', 'annotations', key),
  );
  return [wordAt(pod, 'metadata', 'uid'), ...annotations].includes(uid);
}

/** The node of a deleted pod, from its Events. */
function hostOf(events: readonly JsonObject[]): string {
  const own = events.filter((event) => wordAt(event, 'source', 'component') === 'kubelet');
  return own.map((event) => wordAt(event, 'source', 'host')).findLast((host) => host !== '') ?? '';
}

async function readTimeline(ask: Ask, nodeName: string, namespace: string, name: string) {
  if (nodeName === '') return { timeline: null, note: null };
  const pod = `${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;
  const target = `${nodePath(nodeName)}/proxy/podkeep/v1/pods/${pod}/timeline`;
  const found = await read(ask, target);
  if (found.object !== null && found.object['kind'] === 'PodTimeline') {
    return { timeline: found.object, note: null };
  }
  const given = found.object === null ? `${found.status}: ${found.message}` : 'no PodTimeline';
  const note =
    `The agent of node "${nodeName}" gives no timeline of podkeep (${given}). ` +
    `${reasonOf(found.object === null ? found.status : 0)} ` +
    'This explanation is made from the pod, its Events and the node.';
  return { timeline: null, note };
}

function reasonOf(status: number): string {
  if (status === 403) return 'You need the right to get nodes/proxy.';
  if (status === NOT_FOUND || status === 0) {
    return 'The agent is not podkeep, is an older one, or does not know the pod.';
  }
  return 'The API server does not reach it.';
}

async function readRelated(
  ask: Ask,
  namespace: string,
  pod: JsonObject,
): Promise<readonly RelatedObject[]> {
  const related: RelatedObject[] = [];
  for (const reference of objectsNeededBy(pod).slice(0, RELATED_MAX)) {
    const { kind, name } = reference;
    const accept = kind === 'PersistentVolumeClaim' ? undefined : METADATA_ONLY;
    const found = await read(ask, pathIn(namespace, PLURALS[kind], name), accept);
    const isUnknown = found.object === null && found.status !== NOT_FOUND;
    related.push({ ...reference, object: isUnknown ? undefined : found.object });
  }
  return related;
}

function nodePath(name: string): string {
  return `/api/v1/nodes/${encodeURIComponent(name)}`;
}

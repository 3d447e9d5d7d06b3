/**
 * Creates the mirror pods of static pods in the API, so that users see the static pods, and deletes mirror
 * pods that do not match (KL-60).
 *
 *     no mirror                        -> create it, if the Node exists in the API
 *     another hash, or being deleted   -> delete it by its UID, and create it again
 *     same name and hash               -> leave it
 *
 * The Node object owns the mirror pod, so both are deleted together. Nothing here throws: a static pod runs
 * whether or not the API has its mirror pod, and the next sync tries again.
 */
import type { Pod } from '../../api/pod.ts';
import { isBeingDeleted, isMirrorPod, isStaticPod } from '../../core/pod/pod-facts.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { ApiError, type PodName } from '../../ports/api/api-client.ts';
import type { KubeApi } from '../../ports/api/kube-api.ts';
import type { Log } from '../../ports/log.ts';
import type { MirrorPods } from '../../ports/api/mirror-pods.ts';
import { CONFIG_HASH, CONFIG_MIRROR } from './config-annotations.ts';

export interface MirrorPodsOptions {
  readonly api: KubeApi;
  readonly log: Log;
  readonly nodeName: string;
  /** The Node object; rejects if it does not exist. Absent: it is read from the API each time. */
  readonly getNode?: (signal: AbortSignal) => Promise<JsonObject>;
}

/** Whether the mirror pod was created from this version of the static pod. */
export function isMirrorOf(mirror: Pod, pod: Pod): boolean {
  const [a, b] = [mirror.metadata, pod.metadata];
  return (
    a.name === b.name &&
    a.namespace === b.namespace &&
    isMirrorPod(mirror) &&
    a.annotations?.[CONFIG_MIRROR] === (b.annotations?.[CONFIG_HASH] ?? '')
  );
}

export class MirrorClient implements MirrorPods {
  readonly #options: MirrorPodsOptions;

  constructor(options: MirrorPodsOptions) {
    this.#options = options;
  }

  async reconcile(pod: Pod, mirrorPod: Pod | null, signal: AbortSignal): Promise<void> {
    if (!isStaticPod(pod)) return;
    if (mirrorPod) {
      if (!isBeingDeleted(mirrorPod) && isMirrorOf(mirrorPod, pod)) return;
      if (!(await this.delete(nameOf(pod), mirrorPod.metadata.uid ?? null, signal))) return;
    }
    try {
      await this.#create(pod, signal);
    } catch (error) {
      if (signal.aborted) return;
      this.#options.log.warn('Failed creating a mirror pod', { pod: nameOf(pod), error });
    }
  }

  /**
   * Returns whether this call deleted the mirror pod. With a UID, only that pod is deleted; null deletes any
   * pod of that name, for mirror pods whose static pod is gone.
   */
  async delete(name: PodName, uid: string | null, signal: AbortSignal): Promise<boolean> {
    const { api, log } = this.#options;
    const body: JsonObject = {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      gracePeriodSeconds: 0,
      ...(uid !== null && { preconditions: { uid } }),
    };
    try {
      await api.send({ method: 'DELETE', path: pathOf(name), body }, signal);
      return true;
    } catch (error) {
      const isGone =
        error instanceof ApiError && (error.statusCode === 404 || error.statusCode === 409);
      if (!isGone && !signal.aborted) {
        log.warn('Failed deleting a mirror pod', { pod: name, error });
      }
      return false;
    }
  }

  async #create(pod: Pod, signal: AbortSignal): Promise<void> {
    const node = await this.#findNode(pod, signal);
    if (!node) return;
    const { api } = this.#options;
    const { namespace = '' } = pod.metadata;
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`;
    const body = imageOf(pod, node);
    try {
      await api.send({ method: 'POST', path, body }, signal);
    } catch (error) {
      if (!(await this.#isThereAlready(error, pod, signal))) throw error;
    }
  }

  /** True: the mirror pod exists, but the watch has not delivered it yet. Then there is nothing to do. */
  async #isThereAlready(error: unknown, pod: Pod, signal: AbortSignal): Promise<boolean> {
    if (!(error instanceof ApiError) || error.reason !== 'AlreadyExists') return false;
    const path = pathOf(nameOf(pod));
    const { metadata } = await this.#options.api.send({ method: 'GET', path }, signal);
    const annotations = isJsonObject(metadata) ? metadata['annotations'] : undefined;
    const hash = pod.metadata.annotations?.[CONFIG_HASH] ?? '';
    return isJsonObject(annotations) && annotations[CONFIG_MIRROR] === hash;
  }

  /** Null: the Node is being deleted, and its mirror pods with it, so none is created. */
  async #findNode(pod: Pod, signal: AbortSignal): Promise<NodeReference | null> {
    const { api, log, nodeName } = this.#options;
    const path = `/api/v1/nodes/${encodeURIComponent(nodeName)}`;
    const { getNode = (bounded) => api.send({ method: 'GET', path }, bounded) } = this.#options;
    const { metadata } = await getNode(signal);
    const { uid, deletionTimestamp } = isJsonObject(metadata) ? metadata : {};
    if (typeof uid !== 'string' || uid === '' || (deletionTimestamp ?? null) !== null) {
      log.info('No need to create a mirror pod, since node has been removed from the cluster', {
        pod: nameOf(pod),
      });
      return null;
    }
    return { name: nodeName, uid };
  }
}

interface NodeReference {
  readonly name: string;
  readonly uid: string;
}

/** Without the fields that the API server sets. */
function imageOf({ metadata, spec }: Pod, { name, uid }: NodeReference): JsonObject {
  const { name: podName, namespace, labels, annotations, finalizers } = metadata;
  const image = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: podName,
      namespace,
      ...(labels && { labels }),
      ...(finalizers && { finalizers }),
      annotations: { ...annotations, [CONFIG_MIRROR]: annotations?.[CONFIG_HASH] ?? '' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid, controller: true }],
    },
    spec,
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- pods are JSON; their type has names
  return image as unknown as JsonObject;
}

function pathOf({ namespace, name }: PodName): string {
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}`;
}

function nameOf({ metadata }: Pod): PodName {
  return { namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
}

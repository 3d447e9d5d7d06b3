/** The pod source `api`: watches the pods that are bound to this node, and passes them to PodConfig. */
import type { Pod } from '../../api/pod.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { StartInformer } from '../../ports/api/informer.ts';
import { withPlainNumbers } from './plain-numbers.ts';
import type { PodConfig } from './pod-config.ts';

export interface ApiSourceOptions {
  readonly startInformer: StartInformer;
  readonly nodeName: string;
  readonly config: PodConfig;
  /** Called with the object from the API before it is merged: the next status patch builds on it. */
  readonly seen?: (pod: Pod) => void;
  /** Called after the kubelet was notified of the removal. */
  readonly gone?: (pod: Pod) => void;
}

/** Call it when the node is registered. Returns a function that stops it. */
export function startApiSource(options: ApiSourceOptions): () => void {
  const { startInformer, nodeName, config, seen, gone } = options;
  let shown = new Map<string, Pod>();
  const put = (object: JsonObject): void => {
    if (!isPod(object)) return;
    const pod = withPlainNumbers(object);
    shown.set(uidOf(pod), pod);
    seen?.(pod);
    config.put('api', pod);
  };
  const informer = startInformer({
    path: '/api/v1/pods',
    fieldSelector: `spec.nodeName=${nodeName}`,
    handlers: {
      listed: (objects) => {
        const pods = objects.filter(isPod).map(withPlainNumbers);
        const missing = shown;
        shown = new Map(pods.map((pod) => [uidOf(pod), pod]));
        for (const pod of pods) seen?.(pod);
        config.set('api', pods);
        for (const [uid, pod] of missing) if (!shown.has(uid)) gone?.(pod);
      },
      added: put,
      updated: (_before, object) => put(object),
      deleted: (object) => {
        if (!isPod(object)) return;
        shown.delete(uidOf(object));
        config.remove('api', uidOf(object));
        gone?.(withPlainNumbers(object));
      },
    },
  });
  return () => informer.stop();
}

function uidOf({ metadata }: Pod): string {
  return metadata.uid ?? '';
}

/** The API server has validated the object; this only checks that it is a pod. */
function isPod(object: JsonObject): object is JsonObject & Pod {
  const { metadata, spec } = object;
  return isJsonObject(metadata) && isJsonObject(spec) && Array.isArray(spec['containers']);
}

/** Pods that the API server has bound to this node. */
import type { Pod } from '../../api/pod.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { StartInformer } from '../../ports/informer.ts';
import type { PodConfig } from './pod-config.ts';

export interface ApiSourceOptions {
  readonly startInformer: StartInformer;
  readonly nodeName: string;
  readonly config: PodConfig;
  /** The object as the API has it, before it is merged: what the next patch of its status builds on. */
  readonly seen?: (pod: Pod) => void;
  /** After the news of it were told. */
  readonly gone?: (pod: Pod) => void;
}

/** To be started when the node is registered. The result stops it. */
export function startApiSource(options: ApiSourceOptions): () => void {
  const { startInformer, nodeName, config, seen, gone } = options;
  let shown = new Map<string, Pod>();
  const put = (object: JsonObject): void => {
    if (!isPod(object)) return;
    shown.set(uidOf(object), object);
    seen?.(object);
    config.put('api', object);
  };
  const informer = startInformer({
    path: '/api/v1/pods',
    fieldSelector: `spec.nodeName=${nodeName}`,
    handlers: {
      listed: (objects) => {
        const pods = objects.filter(isPod);
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
        gone?.(object);
      },
    },
  });
  return () => informer.stop();
}

function uidOf({ metadata }: Pod): string {
  return metadata.uid ?? '';
}

/** The server has checked it; this only tells a pod from what is none. */
function isPod(object: JsonObject): object is JsonObject & Pod {
  const { metadata, spec } = object;
  return isJsonObject(metadata) && isJsonObject(spec) && Array.isArray(spec['containers']);
}

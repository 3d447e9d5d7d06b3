/**
 * An API server in memory, as far as pod statuses need one, with faults on order.
 *
 * Patches go through podkeep's own strategic merge; UIDs are preconditions as kube-apiserver has
 * them: a patch with a foreign UID is answered 422 (metadata.uid), a delete 409. A fault may delay
 * the answer, refuse the request, cut the connection before it takes effect, or lose the answer
 * after it did.
 */
import { applyStrategicMergePatch } from '../../src/api/patch/strategic-merge-patch.ts';
import type { Pod, PodStatus } from '../../src/api/pod.ts';
import { structOf } from '../../src/api/schema/schema.ts';
import { isJsonObject, type Json } from '../../src/lib/json.ts';
import {
  ApiError,
  type ApiClient,
  type DeletePreconditions,
  type PodName,
} from '../../src/ports/api/api-client.ts';
import type { Clock } from '../../src/ports/clock.ts';

export interface ApiCall extends PodName {
  readonly verb: 'get' | 'patch' | 'delete';
}

export interface Fault {
  readonly latencyMs?: number;
  /** An HTTP status code to answer with instead of executing the request. */
  readonly refuse?: number;
  readonly retryAfterMs?: number;
  /** The connection breaks: before the request takes effect, or after. */
  readonly cut?: 'before' | 'after';
}

export interface MemoryApiOptions {
  readonly clock: Clock;
  /** Called for every request. */
  readonly fault?: (call: ApiCall) => Fault | undefined;
}

export class MemoryApi implements ApiClient {
  readonly #options: MemoryApiOptions;
  readonly #pods = new Map<string, Pod>();
  #version = 0;
  /** Every request, in order. */
  readonly calls: ApiCall[] = [];
  /** Every PATCH and DELETE that took effect, in order. */
  readonly writes: ApiCall[] = [];
  /** Called with every change, as by a watch. Null: the pod is gone. */
  onChange: (pod: Pod, isGone: boolean) => void = () => {};

  constructor(options: MemoryApiOptions) {
    this.#options = options;
  }

  pods(): readonly Pod[] {
    return [...this.#pods.values()];
  }

  find({ namespace, name }: PodName): Pod | undefined {
    return this.#pods.get(`${namespace}/${name}`);
  }

  findByUid(uid: string): Pod | undefined {
    return this.pods().find(({ metadata }) => metadata.uid === uid);
  }

  /** Another client creates or replaces a pod. */
  put(pod: Pod): Pod {
    this.#version += 1;
    const { namespace = '', name = '' } = pod.metadata;
    const metadata = { ...pod.metadata, resourceVersion: String(this.#version) };
    const stored = { ...pod, metadata };
    this.#pods.set(`${namespace}/${name}`, stored);
    this.onChange(stored, false);
    return stored;
  }

  /** Another client deletes a pod immediately. */
  remove(name: PodName): void {
    const pod = this.find(name);
    if (!pod) return;
    this.#pods.delete(`${name.namespace}/${name.name}`);
    this.onChange(pod, true);
  }

  getPod(name: PodName, signal: AbortSignal): Promise<Pod> {
    return this.#answer({ verb: 'get', ...name }, signal, () => this.#require(name));
  }

  patchPodStatus(name: PodName, patch: Json, signal: AbortSignal): Promise<Pod> {
    return this.#answer({ verb: 'patch', ...name }, signal, () => {
      const pod = this.#require(name);
      const { metadata, status } = isJsonObject(patch) ? patch : {};
      const uid = isJsonObject(metadata) ? metadata['uid'] : undefined;
      if (uid !== undefined && uid !== pod.metadata.uid) throw uidRefused(name);
      const patched = applyStrategicMergePatch(
        { status: (pod.status ?? {}) as Json },
        status === undefined ? {} : { status },
        structOf('core/v1.Pod'),
      );
      return this.put({
        ...pod,
        status: (patched as { readonly status?: unknown }).status as PodStatus,
      });
    });
  }

  deletePod(name: PodName, { uid }: DeletePreconditions, signal: AbortSignal): Promise<void> {
    return this.#answer({ verb: 'delete', ...name }, signal, () => {
      const pod = this.#require(name);
      if (pod.metadata.uid !== uid) throw refusal(409, 'Conflict', `${name.name} has another UID`);
      this.remove(name);
    });
  }

  async #answer<T>(call: ApiCall, signal: AbortSignal, effect: () => T): Promise<T> {
    this.calls.push(call);
    const { latencyMs, refuse, retryAfterMs, cut } = this.#options.fault?.(call) ?? {};
    if (latencyMs !== undefined) await this.#wait(latencyMs, signal);
    if (refuse !== undefined) throw refusal(refuse, 'Refused', 'as ordered', retryAfterMs ?? null);
    if (cut === 'before') throw new Error('socket hang up');
    const result = effect();
    if (call.verb !== 'get') this.writes.push(call);
    if (cut === 'after') throw new Error('socket hang up');
    return result;
  }

  #wait(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancel = this.#options.clock.after(ms, resolve);
      signal.addEventListener('abort', () => {
        cancel();
        reject(signal.reason as Error);
      });
    });
  }

  #require(name: PodName): Pod {
    const pod = this.find(name);
    if (!pod) throw refusal(404, 'NotFound', `pods "${name.name}" not found`);
    return pod;
  }
}

function refusal(
  statusCode: number,
  reason: string,
  message: string,
  retryAfterMs: number | null = null,
): ApiError {
  return new ApiError({ statusCode, reason, message, retryAfterMs });
}

function uidRefused({ name }: PodName): ApiError {
  return new ApiError({
    statusCode: 422,
    reason: 'Invalid',
    message: `Pod "${name}" is invalid: metadata.uid: field is immutable`,
    causes: [{ field: 'metadata.uid', message: 'field is immutable' }],
  });
}

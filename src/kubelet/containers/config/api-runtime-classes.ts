/**
 * Resolves RuntimeClasses to handlers; reads them from the API server when a pod needs one.
 *
 * The handler of a RuntimeClass never changes, so a known handler is used while the API server does not
 * answer, and pods can still be restarted. A deleted RuntimeClass is forgotten.
 */
import { defineError } from '../../../lib/errors.ts';
import { ApiError } from '../../../ports/api/api-client.ts';
import type { KubeApi } from '../../../ports/api/kube-api.ts';
import type { RuntimeClasses } from '../../../ports/api/runtime-classes.ts';
import { failureMessageOf } from '../start/start-failure.ts';

const NOT_FOUND = 404;

export const runtimeClassNotFound = defineError<{ name: string }>({
  code: 'RUNTIME_CLASS_NOT_FOUND',
  retry: 'backoff',
  message: ({ name }) => `runtimeclass.node.k8s.io ${JSON.stringify(name)} not found`,
  hint: () => 'Create the RuntimeClass, or remove runtimeClassName from the pod.',
});

export const runtimeClassUnreadable = defineError<{ name: string; reason: string }>({
  code: 'RUNTIME_CLASS_UNREADABLE',
  retry: 'backoff',
  message: ({ name, reason }) => `failed to lookup RuntimeClass ${name}: ${reason}`,
  hint: () => 'Podkeep retries automatically. A node must be allowed to read runtimeclasses.',
});

export class ApiRuntimeClasses implements RuntimeClasses {
  readonly #api: Pick<KubeApi, 'send'>;
  readonly #seen = new Map<string, string>();

  constructor(api: Pick<KubeApi, 'send'>) {
    this.#api = api;
  }

  async handlerOf(name: string, signal: AbortSignal): Promise<string> {
    const path = `/apis/node.k8s.io/v1/runtimeclasses/${encodeURIComponent(name)}`;
    try {
      const { handler } = await this.#api.send({ method: 'GET', path }, signal);
      const found = typeof handler === 'string' ? handler : '';
      this.#seen.set(name, found);
      return found;
    } catch (error) {
      if (error instanceof ApiError && error.statusCode === NOT_FOUND) {
        this.#seen.delete(name);
        throw runtimeClassNotFound({ name }, error);
      }
      const seen = this.#seen.get(name);
      if (seen !== undefined) return seen;
      throw runtimeClassUnreadable({ name, reason: failureMessageOf(error) }, error);
    }
  }
}

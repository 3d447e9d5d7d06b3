/** An API server in memory with all built-in kinds, and short helpers for requests. */
import { ApiServer } from '../../src/apiserver/http/api-server.ts';
import { builtInKinds } from '../../src/apiserver/kinds/built-in-kinds.ts';
import { openMemoryStore } from '../../src/apiserver/store/memory-store.ts';
import { isJsonObject, type Json, type JsonObject } from '../../src/lib/json.ts';
import { seededRandom } from '../../src/platform/seeded-random.ts';
import { silentLog } from './silent-ports.ts';
import { VirtualClock } from './virtual-clock.ts';

export interface Answer {
  readonly code: number;
  readonly body: JsonObject;
  readonly contentType: string;
}

export interface Ask {
  readonly body?: Json;
  readonly contentType?: string;
  readonly accept?: string;
}

export const TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1';

export class ApiRequests {
  readonly clock = new VirtualClock();
  readonly server = new ApiServer({
    store: openMemoryStore({ clock: this.clock, log: silentLog }),
    clock: this.clock,
    random: seededRandom(1),
    log: silentLog,
    kinds: builtInKinds,
    version: {},
  });

  /** With the namespace `default` and its service account, which most tests use. */
  static async open(): Promise<ApiRequests> {
    const api = new ApiRequests();
    const body = { metadata: { name: 'default' } };
    await api.ask('POST', '/api/v1/namespaces', { body });
    await api.ask('POST', '/api/v1/namespaces/default/serviceaccounts', { body });
    return api;
  }

  async ask(
    method: string,
    path: string,
    { body, contentType, accept }: Ask = {},
  ): Promise<Answer> {
    const response = await this.server.fetch(
      new Request(`http://192.0.2.2:16443${path}`, {
        method,
        headers: {
          'content-type': contentType ?? 'application/json',
          ...(accept !== undefined && { accept }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    );
    const text = await response.text();
    const type = response.headers.get('content-type') ?? '';
    const value: unknown = type.includes('json') ? JSON.parse(text) : {};
    return { code: response.status, body: isJsonObject(value) ? value : {}, contentType: type };
  }

  merge(path: string, body: Json): Promise<Answer> {
    return this.ask('PATCH', path, { body, contentType: 'application/merge-patch+json' });
  }
}

/** The field errors of an object, as `field: message`; or that it was accepted. */
export function problemsOf({ code, body }: Answer): readonly string[] {
  if (code < 300) return ['accepted'];
  const { details } = body;
  const causes = isJsonObject(details) ? details['causes'] : undefined;
  if (!Array.isArray(causes)) return [`${code} ${JSON.stringify(body['reason'])}`];
  const list: readonly Json[] = causes;
  return list.map((cause) =>
    isJsonObject(cause) ? `${cause['field'] as string}: ${cause['message'] as string}` : '',
  );
}

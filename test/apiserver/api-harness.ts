/** An API server in memory with a clock that stands still, and short helpers for requests. */
import { ApiServer } from '../../src/apiserver/http/api-server.ts';
import { builtInKinds } from '../../src/apiserver/kinds/built-in-kinds.ts';
import { openMemoryStore } from '../../src/apiserver/store/memory-store.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { seededRandom } from '../../src/platform/seeded-random.ts';
import type { ObjectStore } from '../../src/ports/api/object-store.ts';
import { silentLog } from '../support/silent-ports.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

export interface Body extends JsonObject {
  readonly metadata: JsonObject;
}

export interface Answer {
  readonly code: number;
  readonly body: Body;
  readonly warnings: string | null;
}

export class ApiHarness {
  readonly clock = new VirtualClock();
  readonly store: ObjectStore = openMemoryStore({ clock: this.clock, log: silentLog });
  readonly server = new ApiServer({
    store: this.store,
    clock: this.clock,
    random: seededRandom(1),
    log: silentLog,
    kinds: builtInKinds,
    version: { major: '1', minor: '36' },
  });

  static async open(): Promise<ApiHarness> {
    const harness = new ApiHarness();
    await harness.send('POST', '/api/v1/namespaces', { metadata: { name: 'default' } });
    return harness;
  }

  fetch(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
    return this.server.fetch(
      new Request(`http://podkeep${path}`, {
        method,
        headers: { 'content-type': 'application/json', ...headers },
        ...(text !== undefined && { body: text }),
      }),
    );
  }

  async send(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer> {
    const response = await this.fetch(method, path, body, headers);
    return {
      code: response.status,
      body: (await response.json()) as Body,
      warnings: response.headers.get('warning'),
    };
  }

  create(name: string, fields: JsonObject = {}): Promise<Answer> {
    return this.send('POST', CONFIG_MAPS, { metadata: { name }, ...fields });
  }

  /** The lines of a watch, as they arrive. */
  async watch(
    query: string,
    target = `${CONFIG_MAPS}?watch=1`,
  ): Promise<{ readonly events: JsonObject[]; readonly isOver: () => boolean }> {
    const response = await this.fetch('GET', `${target}${query}`);
    const events: JsonObject[] = [];
    let isOver = false;
    void (async () => {
      let rest = '';
      const decoder = new TextDecoder();
      for await (const chunk of response.body ?? []) {
        const lines = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split('\n');
        rest = lines.pop() ?? '';
        events.push(...lines.map((line) => JSON.parse(line) as JsonObject));
      }
      isOver = true;
    })();
    return { events, isOver: () => isOver };
  }
}

export const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

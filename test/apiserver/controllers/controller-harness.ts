/** An API server in memory with its controllers, on a clock that stands still until a test moves it. */
import { ApiServer } from '../../../src/apiserver/http/api-server.ts';
import type { Controller } from '../../../src/apiserver/controllers/controller.ts';
import {
  startControllers,
  type ControllerName,
  type ControllerOptions,
} from '../../../src/apiserver/controllers/controllers.ts';
import type { KindDefinition } from '../../../src/apiserver/objects/kind.ts';
import { builtInKinds } from '../../../src/apiserver/kinds/built-in-kinds.ts';
import { openMemoryStore } from '../../../src/apiserver/store/memory-store.ts';
import type { Json, JsonObject } from '../../../src/lib/json.ts';
import { seededRandom } from '../../../src/platform/seeded-random.ts';
import type { ObjectStore } from '../../../src/ports/api/object-store.ts';
import { silentLog } from '../../support/silent-ports.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

export interface Answer {
  readonly code: number;
  readonly body: Body;
}

export interface Body extends JsonObject {
  readonly metadata: JsonObject;
}

export interface HarnessOptions extends Omit<ControllerOptions, 'controllers'> {
  readonly controllers?: readonly ControllerName[];
  readonly kinds?: readonly KindDefinition[];
  readonly seed?: number;
  /** Of another harness, as after a restart. */
  readonly store?: ObjectStore;
}

export class ControllerHarness {
  readonly clock = new VirtualClock();
  readonly store: ObjectStore;
  readonly server: ApiServer;
  readonly #options: ControllerOptions;
  #controllers: Controller | null = null;

  constructor({ controllers, kinds = [], seed = 1, store, ...rest }: HarnessOptions = {}) {
    this.store = store ?? openMemoryStore({ clock: this.clock, log: silentLog });
    this.server = new ApiServer({
      store: this.store,
      clock: this.clock,
      random: seededRandom(seed),
      log: silentLog,
      kinds: [...builtInKinds, ...kinds],
      version: { major: '1', minor: '36' },
    });
    this.#options = { ...rest, ...(controllers && { controllers: new Set(controllers) }) };
  }

  /** With the namespace `default`, its service account, and the controllers running. */
  static async open(options?: HarnessOptions): Promise<ControllerHarness> {
    const harness = new ControllerHarness(options);
    await harness.make('/api/v1/namespaces', 'default');
    await harness.make('/api/v1/namespaces/default/serviceaccounts', 'default');
    harness.start();
    await harness.settle();
    return harness;
  }

  start(): void {
    this.#controllers = startControllers(this.server.parts, this.#options);
  }

  async stop(): Promise<void> {
    await this.#controllers?.stop();
  }

  /** Lets all controllers settle, and that much time pass. */
  async settle(ms = 0): Promise<void> {
    await this.clock.pass(ms);
    await this.clock.pass(0);
  }

  async send(method: string, path: string, body?: Json, contentType?: string): Promise<Answer> {
    const response = await this.server.fetch(
      new Request(`http://podkeep${path}`, {
        method,
        headers: { 'content-type': contentType ?? 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    );
    return { code: response.status, body: (await response.json()) as Body };
  }

  /** Creates an object that must be accepted. */
  async make(path: string, name: string, fields: JsonObject = {}): Promise<Body> {
    const { metadata, ...rest } = fields;
    const { code, body } = await this.send('POST', path, {
      metadata: { name, ...(metadata as JsonObject | undefined) },
      ...rest,
    });
    if (code !== 201) throw new Error(`${path}/${name} was not created: ${JSON.stringify(body)}`);
    return body;
  }

  get(path: string): Promise<Answer> {
    return this.send('GET', path);
  }

  async has(path: string): Promise<boolean> {
    return (await this.get(path)).code === 200;
  }

  async list(path: string): Promise<readonly Body[]> {
    return ((await this.get(path)).body['items'] ?? []) as unknown as readonly Body[];
  }

  async names(path: string): Promise<readonly Json[]> {
    return (await this.list(path)).map(({ metadata }) => metadata['name'] ?? '');
  }

  patch(path: string, body: Json): Promise<Answer> {
    return this.send('PATCH', path, body, 'application/merge-patch+json');
  }

  remove(path: string, options?: JsonObject): Promise<Answer> {
    return this.send('DELETE', path, options);
  }
}

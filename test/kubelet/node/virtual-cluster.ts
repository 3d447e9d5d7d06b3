/**
 * A whole API server in virtual time: the embedded one, with its store in memory, roles that are checked,
 * and all of its controllers. Nodes and users call it in this process.
 *
 * Everything runs on one clock and one seed, so a run can be repeated.
 */
import { informersOf } from '../../../src/client/informer.ts';
import { createKubeApi } from '../../../src/client/kube-api.ts';
import { createInProcessTransport } from '../../../src/client/transport/in-process-transport.ts';
import type { Transport } from '../../../src/client/transport/transport.ts';
import { openEmbeddedServer, type EmbeddedServer } from '../../../src/apiserver/embedded-server.ts';
import { createPki, type Pki } from '../../../src/apiserver/pki/pki.ts';
import { openMemoryStore } from '../../../src/apiserver/store/memory-store.ts';
import type { Pod, PodStatus } from '../../../src/api/pod.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { seededRandom } from '../../../src/platform/seeded-random.ts';
import { ApiError } from '../../../src/ports/api/api-client.ts';
import type { User } from '../../../src/ports/api/http-handler.ts';
import type { StartInformer } from '../../../src/ports/api/informer.ts';
import type { KubeApi, KubeRequest } from '../../../src/ports/api/kube-api.ts';
import type { Log } from '../../../src/ports/log.ts';
import type { ObjectStore } from '../../../src/ports/api/object-store.ts';
import type { IdentityRandom } from '../../../src/ports/random.ts';
import { silentLog } from '../../support/silent-ports.ts';
import { filesSettled, VirtualClock } from '../../support/virtual-clock.ts';

/** What a watch of all pods has seen. */
export interface SeenPod {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly pod: Pod;
  readonly atMs: number;
}

export interface ApiSession {
  readonly kube: KubeApi;
  readonly startInformer: StartInformer;
}

const ADMIN: User = { name: 'admin', groups: ['system:masters'] };
const MERGE_PATCH = 'application/merge-patch+json';
const STRATEGIC_MERGE_PATCH = 'application/strategic-merge-patch+json';
const VERSION = { major: '1', minor: '36', gitVersion: 'v1.36.0' };

/** Keys take real time to make, and nothing here depends on which they are. */
let pki: Promise<Pki> | undefined;

export class VirtualCluster {
  readonly clock: VirtualClock;
  readonly random: IdentityRandom;
  readonly admin: KubeApi;
  readonly store: ObjectStore;
  /** All pods, as they were created and deleted. */
  readonly seen: SeenPod[] = [];
  readonly #server: EmbeddedServer;
  readonly #endings: (() => void)[] = [];

  private constructor(
    clock: VirtualClock,
    random: IdentityRandom,
    store: ObjectStore,
    server: EmbeddedServer,
  ) {
    this.clock = clock;
    this.random = random;
    this.store = store;
    this.#server = server;
    const { kube, startInformer } = this.session(ADMIN);
    this.admin = kube;
    const see = (type: SeenPod['type'], object: JsonObject): void => {
      this.seen.push({ type, pod: object as unknown as Pod, atMs: clock.monotonic() });
    };
    const handlers = {
      added: (object: JsonObject) => see('ADDED', object),
      updated: (_before: JsonObject, object: JsonObject) => see('MODIFIED', object),
      deleted: (object: JsonObject) => see('DELETED', object),
    };
    const informer = startInformer({ path: '/api/v1/pods', handlers });
    this.#endings.push(() => informer.stop());
  }

  /** `controllers`: those that run; absent: all. */
  static async open(seed = 1, controllers?: ReadonlySet<string>): Promise<VirtualCluster> {
    const clock = new VirtualClock(undefined, filesSettled);
    const random = seededRandom(seed);
    pki ??= createPki({ clock, random: seededRandom(0) });
    const { caCert, serviceAccountKey: signingKey } = await pki;
    const store = openMemoryStore({ clock, log: silentLog });
    const server = await openEmbeddedServer({
      store,
      clock,
      random,
      log: silentLog,
      version: VERSION,
      access: { signingKey, mode: 'RBAC' },
      caCert,
      ...(controllers && { controllers }),
    });
    await server.announce({ ip: '127.0.0.1', port: 6443 });
    server.run();
    const cluster = new VirtualCluster(clock, random, store, server);
    await clock.pass(0);
    return cluster;
  }

  /** A client for a user. `wrap` stands between, such as a network that fails. */
  session(
    user: User,
    wrap: (transport: Transport) => Transport = (transport) => transport,
    log: Log = silentLog,
  ): ApiSession {
    const { clock, random } = this;
    const transport = wrap(createInProcessTransport(this.#server, { user }));
    const kube = createKubeApi(transport, { clock, version: 'test' });
    return { kube, startInformer: informersOf({ api: kube, clock, random, log }) };
  }

  send(
    method: KubeRequest['method'],
    path: string,
    body?: JsonObject,
    contentType?: string,
  ): Promise<JsonObject> {
    return this.admin.send({
      method,
      path,
      ...(body && { body }),
      ...(contentType && { contentType }),
    });
  }

  /** Null: it does not exist. */
  async find(path: string): Promise<JsonObject | null> {
    try {
      return await this.send('GET', path);
    } catch (error) {
      if (error instanceof ApiError && error.statusCode === 404) return null;
      throw error;
    }
  }

  /** With the service account of its pods. */
  async createNamespace(name: string): Promise<void> {
    await this.send('POST', '/api/v1/namespaces', { metadata: { name } });
    await this.clock.pass(0);
  }

  /** Any object may be sent; the answer is a pod. */
  async createPod(pod: { readonly metadata: { readonly namespace: string } }): Promise<Pod> {
    const path = `/api/v1/namespaces/${pod.metadata.namespace}/pods`;
    return (await this.send('POST', path, pod)) as unknown as Pod;
  }

  async deletePod(path: string, options: JsonObject = {}): Promise<void> {
    await this.send('DELETE', podPath(path), options);
  }

  async patchPod(path: string, patch: JsonObject): Promise<void> {
    await this.send('PATCH', podPath(path), patch, MERGE_PATCH);
  }

  async patchStatus(path: string, status: JsonObject): Promise<void> {
    await this.send('PATCH', `${podPath(path)}/status`, { status }, STRATEGIC_MERGE_PATCH);
  }

  async findPod(path: string): Promise<Pod | null> {
    return (await this.find(podPath(path))) as Pod | null;
  }

  async events(namespace: string): Promise<readonly JsonObject[]> {
    const list = await this.send('GET', `/api/v1/namespaces/${namespace}/events`);
    return list['items'] as readonly JsonObject[];
  }

  /** Every status that the API had of pods of this name, in order. */
  statuses(name: string): readonly PodStatus[] {
    return this.seen
      .filter(({ pod }) => pod.metadata.name === name)
      .map(({ pod }) => pod.status ?? {});
  }

  async close(): Promise<void> {
    for (const end of this.#endings) end();
    const closed = this.#server.close();
    await this.clock.pass(0);
    await closed;
  }
}

/** `namespace/name`. */
function podPath(path: string): string {
  const [namespace, name] = path.split('/');
  return `/api/v1/namespaces/${namespace}/pods/${name}`;
}

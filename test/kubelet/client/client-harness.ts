/** An API server in memory, and podkeep's client of it, on one clock. */
import { onTestFinished } from 'vitest';
import { informersOf } from '../../../src/client/informer.ts';
import { createKubeApi } from '../../../src/client/kube-api.ts';
import { createInProcessTransport } from '../../../src/client/transport/in-process-transport.ts';
import type { Transport } from '../../../src/client/transport/transport.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { seededRandom } from '../../../src/platform/seeded-random.ts';
import type { Informer, StartInformer } from '../../../src/ports/api/informer.ts';
import type { KubeApi } from '../../../src/ports/api/kube-api.ts';
import { ApiHarness } from '../../apiserver/api-harness.ts';
import { silentLog } from '../../support/silent-ports.ts';

export const NODE = 'node1';

export class ClientHarness {
  readonly server: ApiHarness;
  readonly clock: ApiHarness['clock'];
  readonly api: KubeApi;
  readonly startInformer: StartInformer;

  private constructor(server: ApiHarness, wrap: (transport: Transport) => Transport) {
    this.server = server;
    this.clock = server.clock;
    const transport = wrap(createInProcessTransport(server.server));
    this.api = createKubeApi(transport, { clock: this.clock, version: 'test' });
    const random = seededRandom(7);
    const start = informersOf({ api: this.api, clock: this.clock, random, log: silentLog });
    this.startInformer = (request): Informer => {
      const informer = start(request);
      onTestFinished(() => informer.stop());
      return informer;
    };
  }

  static async open(
    wrap: (transport: Transport) => Transport = (transport) => transport,
  ): Promise<ClientHarness> {
    const server = await ApiHarness.open();
    await server.send('POST', '/api/v1/nodes', { metadata: { name: NODE } });
    const account = { metadata: { name: 'default' } };
    await server.send('POST', '/api/v1/namespaces/default/serviceaccounts', account);
    return new ClientHarness(server, wrap);
  }

  createPod(name: string, fields: JsonObject = {}): Promise<JsonObject> {
    const spec = { nodeName: NODE, containers: [{ name: 'c', image: 'i' }] };
    const body = { metadata: { name }, spec, ...fields };
    return this.api.send({ method: 'POST', path: '/api/v1/namespaces/default/pods', body });
  }
}

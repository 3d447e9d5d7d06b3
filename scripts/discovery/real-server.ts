/** Starts a kube-apiserver and probes it (probe.ts), to create the record. */
import { Agent, request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Json, JsonObject } from '../../src/lib/json.ts';
import { readAccess } from '../../test/e2e/support/kubeconfig.ts';
import { RealApiServer } from '../../test/e2e/support/real-api-server.ts';
import { PROBED_DEFINITIONS } from './definitions.ts';
import { requestOf, type ProbeAnswer } from './probe.ts';
import { recordDiscovery, type DiscoveryRecord } from './record.ts';

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const ESTABLISHED_MS = 30_000;

export async function recordRealServer(): Promise<DiscoveryRecord> {
  const server = await RealApiServer.start({ name: 'discovery', controllers: [] });
  const client = new ProbeClient(server.kubeconfig);
  try {
    for (const body of PROBED_DEFINITIONS) await client.create(CRDS, body);
    await client.waitFor('/apis/example.com/v1/gadgets');
    await client.waitFor('/apis/example.com/v1/widgets');
    const documents = [await client.read('/api'), await client.read('/apis')];
    const { gitVersion } = await client.read('/version');
    const version = typeof gitVersion === 'string' ? gitVersion : 'of an unknown version';
    return await recordDiscovery(version, documents, async (method, path) =>
      client.send(requestOf(method, path)),
    );
  } finally {
    client.close();
    await server.stop();
  }
}

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: Json;
  readonly contentType?: string;
  readonly accept?: string;
  /** True: the request is a watch, whose answer never ends. */
  readonly watches?: boolean;
}

class ProbeClient {
  readonly #server: string;
  readonly #agent: Agent;

  constructor(kubeconfig: string) {
    const { server, ca, cert, key } = readAccess(kubeconfig);
    this.#server = server;
    this.#agent = new Agent({ keepAlive: true, ca, ...(cert && { cert }), ...(key && { key }) });
  }

  async create(path: string, body: JsonObject): Promise<void> {
    await this.send({ method: 'POST', path, body, contentType: 'application/json' });
  }

  async read(path: string): Promise<JsonObject> {
    const { text } = await this.send({ method: 'GET', path, accept: AGGREGATED });
    return JSON.parse(text) as JsonObject;
  }

  async waitFor(path: string): Promise<void> {
    for (let waitedMs = 0; waitedMs < ESTABLISHED_MS; waitedMs += 250) {
      if ((await this.send({ method: 'GET', path })).code === 200) return;
      await sleep(250);
    }
    throw new Error(`${path} is not served after ${ESTABLISHED_MS} ms`);
  }

  close(): void {
    this.#agent.destroy();
  }

  send(sent: Sent): Promise<ProbeAnswer> {
    const { method, path, body, contentType, accept = 'application/json', watches } = sent;
    const content = body === undefined ? '' : JSON.stringify(body);
    const headers = {
      accept,
      ...(contentType !== undefined && { 'content-type': contentType }),
      ...(content !== '' && { 'content-length': Buffer.byteLength(content) }),
    };
    return new Promise((resolve, reject) => {
      const options = { method, headers, agent: this.#agent };
      const call = request(new URL(path, this.#server), options, (response) => {
        const code = response.statusCode ?? 0;
        let text = '';
        if (watches === true && code === 200) {
          resolve({ code, text });
          call.destroy();
          return;
        }
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.on('error', reject);
        response.on('end', () => resolve({ code, text }));
      });
      call.on('error', reject);
      call.end(content);
    });
  }
}

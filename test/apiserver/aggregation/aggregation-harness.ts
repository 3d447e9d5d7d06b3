/**
 * An API server with roles behind a real listener, and a small aggregated API server on loopback that speaks TLS
 * and demands the certificate of the front proxy.
 */
import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer, request as requestHttps, type Server } from 'node:https';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { onTestFinished, vi } from 'vitest';
import { openEmbeddedServer, type EmbeddedServer } from '../../../src/apiserver/embedded-server.ts';
import { issueLeaf } from '../../../src/apiserver/pki/certificate.ts';
import {
  createAuthority,
  createPki,
  FRONT_PROXY_AUTHORITY,
  FRONT_PROXY_CLIENT,
  issueClientCertificate,
} from '../../../src/apiserver/pki/pki.ts';
import { openMemoryStore } from '../../../src/apiserver/store/memory-store.ts';
import { createApiServerDialer } from '../../../src/client/api-server-dialer.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { altNamesOf } from '../../../src/lib/x509/extensions.ts';
import { openHttpsListener } from '../../../src/platform/https-listener.ts';
import { seededRandom } from '../../../src/platform/seeded-random.ts';
import { systemClock } from '../../../src/platform/system-clock.ts';
import type { User } from '../../../src/ports/api/http-handler.ts';
import { makeKeyPair } from '../../support/key-pair.ts';
import { listen } from '../../support/loopback.ts';
import { silentLog as log } from '../../support/silent-ports.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

export const GROUP = 'wardle.example.com';
export const ROOT = `/apis/${GROUP}/v1`;
export const API_SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';
export const FLUNDERS = `${ROOT}/namespaces/default/flunders`;
export const SERVICE_NAME = 'wardle.default.svc';
export const AGGREGATED =
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';
const DAY_MS = 86_400_000;
const CONTROLLERS = new Set(['namespace', 'garbage-collector']);

/** Tokens are the names of their users. */
export const USERS: readonly User[] = [
  { name: 'admin', groups: ['system:masters'] },
  { name: 'reader', groups: ['fishers', 'sea, deep'], uid: 'u-1', extra: { 'a/B%': ['x', 'y'] } },
  { name: 'lister', groups: [] },
  { name: 'nobody', groups: [] },
  { name: 'reader ', groups: [] },
];

const pkiOptions = { clock: systemClock, random: seededRandom(11) };
const [pki, frontCa, backendCa] = await Promise.all([
  createPki(pkiOptions),
  createAuthority(pkiOptions, FRONT_PROXY_AUTHORITY),
  createAuthority(pkiOptions, 'backend'),
]);
const frontClient = await issueClientCertificate(frontCa, FRONT_PROXY_CLIENT, pkiOptions);
export const BACKEND_CA = backendCa.cert;
export const OTHER_CA = pki.caCert;

/** A certificate of the backend's authority for this name. */
export function serverCertificate(name: string): { readonly cert: string; readonly key: string } {
  const { publicKey, privateKey } = makeKeyPair();
  const nowMs = systemClock.now();
  const request = {
    notBeforeMs: nowMs - DAY_MS,
    notAfterMs: nowMs + DAY_MS,
    subject: { commonName: 'wardle', organizations: [] },
    publicKey,
    uses: ['server'] as const,
    altNames: altNamesOf([name], []),
  };
  return { cert: issueLeaf(backendCa, request, seededRandom(12)), key: privateKey };
}

export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  /** The common name of the client's certificate. */
  readonly client: string;
  readonly body: string;
}

export type Handle = (request: IncomingMessage, response: ServerResponse, body: string) => boolean;

/** The aggregated API server. */
export class Backend {
  readonly seen: Seen[] = [];
  readonly server: Server;
  port = 0;
  /** Set by a test; true: it has answered. */
  handle: Handle = () => false;
  upgrade: (request: IncomingMessage, socket: Duplex) => void = (_request, socket) => {
    socket.write(
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n',
    );
    socket.pipe(socket);
  };

  constructor(name = SERVICE_NAME) {
    const trust = { ca: frontCa.cert, requestCert: true, rejectUnauthorized: true };
    this.server = createServer({ ...serverCertificate(name), ...trust }, (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString();
        this.#see(request, body);
        if (!this.handle(request, response, body)) answer(request, response);
      });
    });
    this.server.on('upgrade', (request, socket) => {
      this.#see(request, '');
      socket.on('error', () => {});
      this.upgrade(request, socket);
    });
  }

  /** Requests of clients: not those by which the server is checked and discovered. */
  get requests(): readonly Seen[] {
    return this.seen.filter(({ headers }) => headers['x-remote-user'] !== 'system:kube-aggregator');
  }

  #see(request: IncomingMessage, body: string): void {
    const { method = '', url = '', headers, rawHeaders, socket } = request;
    const client =
      socket instanceof TLSSocket ? String(socket.getPeerCertificate().subject?.CN) : '';
    this.seen.push({ method, url, headers, rawHeaders, client, body });
  }
}

const RESOURCES = [
  {
    name: 'flunders',
    singularName: 'flunder',
    namespaced: true,
    kind: 'Flunder',
    verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'watch'],
    shortNames: ['fl'],
  },
  { name: 'flunders/swim', singularName: '', namespaced: true, kind: 'Swim', verbs: ['get'] },
];

function answer({ url = '', method }: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(url, 'https://wardle');
  const send = (body: JsonObject, status = 200): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  const flunder = { metadata: { name: 'a', namespace: 'default' } };
  if (pathname === ROOT) {
    return send({ kind: 'APIResourceList', groupVersion: `${GROUP}/v1`, resources: RESOURCES });
  }
  if (pathname === '/openapi/v3') {
    const address = `/openapi/v3${ROOT}?hash=X`;
    const stolen = { serverRelativeURL: '/openapi/v3/api/v1?hash=Y' };
    return send({
      paths: { [ROOT.slice(1)]: { serverRelativeURL: address }, 'api/v1': stolen },
    });
  }
  if (pathname === `/openapi/v3${ROOT}`) return send({ openapi: '3.0.0' });
  if (method === 'DELETE') return send({ kind: 'Status', status: 'Success' });
  if (searchParams.get('watch') === '1') {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write(`${JSON.stringify({ type: 'ADDED', object: flunder })}\n`);
    return;
  }
  if (pathname === FLUNDERS) return send({ kind: 'FlunderList', items: [flunder] });
  if (pathname === `${FLUNDERS}/a`) return send({ kind: 'Flunder', ...flunder });
  if (pathname.endsWith('/flunders')) return send({ kind: 'FlunderList', items: [] });
  send({ kind: 'Status', code: 404 }, 404);
}

export interface Reply {
  readonly code: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: JsonObject & { readonly message: string; readonly spec: JsonObject };
}

export class AggregationHarness {
  readonly clock = new VirtualClock(systemClock.now());
  readonly store = openMemoryStore({ clock: this.clock, log });
  readonly backend: Backend;
  /** Loopback addresses that the node has given to the pod of the backend. */
  ownAddresses: readonly string[] = ['127.0.0.1'];
  #server: EmbeddedServer | undefined;
  #port = 0;

  constructor(backend: Backend) {
    this.backend = backend;
  }

  static async open(backend = new Backend()): Promise<AggregationHarness> {
    const harness = new AggregationHarness(backend);
    backend.port = await listen(backend.server);
    await harness.#start();
    return harness;
  }

  get server(): EmbeddedServer {
    if (!this.#server) throw new Error('the server is not started');
    return this.#server;
  }

  async #start(): Promise<void> {
    const { clock, store } = this;
    const dialer = createApiServerDialer(frontClient);
    const server = await openEmbeddedServer({
      store,
      clock,
      random: seededRandom(1),
      log,
      version: {},
      access: {
        signingKey: pki.serviceAccountKey,
        mode: 'RBAC',
        adminTokens: USERS.map((user) => ({ token: tokenOf(user.name), user })),
      },
      caCert: pki.caCert,
      controllers: CONTROLLERS,
      kubeletDialer: {
        loopbackAddressesOf: async (_namespace, name) => (name === 'fish' ? this.ownAddresses : []),
        fetch: () => Promise.reject(new Error('not used')),
        connect: () => Promise.reject(new Error('not used')),
      },
      frontProxy: async () => ({
        caCert: frontCa.cert,
        name: FRONT_PROXY_CLIENT.commonName,
        dialer: async () => dialer,
      }),
    });
    this.#server = server;
    const listener = await openHttpsListener({
      handler: server,
      cert: pki.serverCert,
      key: pki.serverKey,
      ca: pki.caCert,
      port: 0,
    });
    this.#port = listener.port;
    onTestFinished(async () => {
      await listener.close();
      await server.close();
      dialer.close();
    });
    server.run();
    await clock.pass(100);
  }

  /** An APIService whose Service selects a ready pod at the address of the backend. */
  async register(fields: JsonObject = {}, port = this.backend.port): Promise<void> {
    await this.expose(port);
    await this.admin('POST', API_SERVICES, apiService(fields));
    await this.settle('v1.wardle.example.com');
  }

  async expose(port: number, selector: JsonObject = { app: 'fish' }, address = '127.0.0.1') {
    const core = '/api/v1/namespaces/default';
    await this.admin('POST', `${core}/serviceaccounts`, { metadata: { name: 'default' } });
    await this.admin('POST', `${core}/pods`, {
      metadata: { name: 'fish', labels: { app: 'fish' } },
      spec: { nodeName: 'n', containers: [{ name: 'c', image: 'x' }] },
    });
    await this.admin('PATCH', `${core}/pods/fish/status`, {
      status: { podIP: address, podIPs: [{ ip: address }] },
    });
    await this.admin('POST', `${core}/services`, {
      metadata: { name: 'wardle' },
      spec: { selector, ports: [{ name: 'api', port: 443, targetPort: port }] },
    });
    await this.slice(port, address);
  }

  slice(port: number, address = '127.0.0.1', ready = true): Promise<Reply> {
    const path = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';
    const targetRef = { kind: 'Pod', namespace: 'default', name: 'fish' };
    return this.admin('POST', path, {
      metadata: { name: 'wardle', labels: { 'kubernetes.io/service-name': 'wardle' } },
      addressType: 'IPv4',
      ports: [{ name: 'api', port, protocol: 'TCP' }],
      endpoints: [{ addresses: [address], conditions: { ready }, targetRef }],
    });
  }

  /** Resolves when the APIService has a condition with this reason; absent: with any. */
  async settle(name: string, reason?: string): Promise<JsonObject> {
    return vi.waitFor(
      async () => {
        await this.clock.pass(1);
        const condition = await this.condition(name);
        const found = condition?.['reason'];
        const isWanted = reason === undefined ? found !== undefined : found === reason;
        if (!isWanted)
          throw new Error(`the reason is ${JSON.stringify(found)}, not ${reason ?? 'any'}`);
        return condition ?? {};
      },
      { timeout: 10_000, interval: 5 },
    );
  }

  async condition(name: string): Promise<JsonObject | undefined> {
    const { body } = await this.admin('GET', `${API_SERVICES}/${name}`);
    const { conditions = [] } = (body['status'] ?? {}) as { conditions?: readonly JsonObject[] };
    return conditions[0];
  }

  /** Gives a user these verbs on flunders everywhere. */
  async allow(user: string, verbs: readonly string[], resources = ['flunders']): Promise<void> {
    const rbac = '/apis/rbac.authorization.k8s.io/v1';
    const name = `of-${user.trim()}-${verbs.join('-')}`;
    const rules = [{ apiGroups: [GROUP], resources, verbs }];
    await this.admin('POST', `${rbac}/clusterroles`, { metadata: { name }, rules });
    await this.admin('POST', `${rbac}/clusterrolebindings`, {
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: user }],
    });
  }

  admin(method: string, path: string, body?: JsonObject): Promise<Reply> {
    return this.send(method, path, { body });
  }

  get(path: string, user = 'admin', headers: Record<string, string> = {}): Promise<Reply> {
    return this.send('GET', path, { user, headers });
  }

  async send(
    method: string,
    path: string,
    options: {
      user?: string;
      headers?: Record<string, string>;
      body?: JsonObject | undefined;
    } = {},
  ): Promise<Reply> {
    const response = await this.open(method, path, options);
    const chunks: Buffer[] = [];
    for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const isJson = text.startsWith('{');
    return {
      code: response.statusCode ?? 0,
      headers: response.headers,
      text,
      body: (isJson ? JSON.parse(text) : { message: text }) as Reply['body'],
    };
  }

  /** An answer whose body is not read yet. */
  async open(
    method: string,
    path: string,
    { user = 'admin', headers = {}, body }: Parameters<AggregationHarness['send']>[2] = {},
  ): Promise<IncomingMessage> {
    const outgoing = this.request(method, path, user, headers, body !== undefined && method);
    // The server may answer, and close, before it has read all of a body.
    const response = once(outgoing, 'response') as Promise<[IncomingMessage]>;
    outgoing.on('error', () => {});
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
    return (await response)[0];
  }

  request(
    method: string,
    path: string,
    user: string,
    headers: Record<string, string> = {},
    hasBody: string | false = false,
  ) {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    return requestHttps({
      host: '127.0.0.1',
      port: this.#port,
      ca: pki.caCert,
      method,
      path,
      agent: false,
      headers: {
        authorization: `Bearer ${tokenOf(user)}`,
        ...(hasBody !== false && { 'content-type': type }),
        ...headers,
      },
    });
  }
}

export function apiService(fields: JsonObject = {}): JsonObject & { readonly spec: JsonObject } {
  return {
    metadata: { name: `v1.${GROUP}` },
    spec: {
      group: GROUP,
      version: 'v1',
      groupPriorityMinimum: 2000,
      versionPriority: 10,
      service: { namespace: 'default', name: 'wardle' },
      caBundle: Buffer.from(BACKEND_CA).toString('base64'),
      ...fields,
    },
  };
}

export function tokenOf(user: string): string {
  return `token-of-${user.replaceAll(' ', '_')}`;
}

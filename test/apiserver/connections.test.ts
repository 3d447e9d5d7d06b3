/** Requests that are forwarded to a node or a pod: their targets, and those that are refused before. */
import { Duplex } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { Access, Attributes } from '../../src/apiserver/objects/access.ts';
import { MASTER } from '../../src/apiserver/objects/access.ts';
import { ApiServer } from '../../src/apiserver/http/api-server.ts';
import { builtInKinds } from '../../src/apiserver/kinds/built-in-kinds.ts';
import { openMemoryStore } from '../../src/apiserver/store/memory-store.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { seededRandom } from '../../src/platform/seeded-random.ts';
import type { ApiRequest, ApiResponse } from '../../src/ports/api/http-handler.ts';
import type { Backend, KubeletDialer } from '../../src/ports/api/kubelet-dialer.ts';
import { silentLog } from '../support/silent-ports.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const PODS = '/api/v1/namespaces/default/pods';

/** A node that records requests, and gives the answers that a test sets. */
class Nodes implements KubeletDialer {
  readonly asked: { readonly backend: Backend; readonly request: ApiRequest }[] = [];
  isLocal?: (name: string) => boolean;
  loopbackAddressesOf?: () => Promise<readonly string[]>;
  answer: ApiResponse | Error = { status: 200, headers: [], body: 'from the node' };

  async fetch(backend: Backend, request: ApiRequest): Promise<ApiResponse> {
    this.asked.push({ backend, request });
    if (this.answer instanceof Error) throw this.answer;
    return this.answer;
  }

  async connect(
    backend: Backend,
    request: ApiRequest,
    { socket, head }: { socket: Duplex; head: Uint8Array },
  ): Promise<void> {
    this.asked.push({ backend, request });
    if (this.answer instanceof Error) throw this.answer;
    socket.end(`joined ${Buffer.from(head).toString()}`);
  }

  /** Path and query of the last request, without the host, which is a placeholder. */
  get target(): string | undefined {
    return this.asked.at(-1)?.request.url.replace('https://node', '');
  }
}

class TestHarness {
  readonly nodes = new Nodes();
  readonly wanted: Attributes[] = [];
  /** Verbs that are forbidden. */
  readonly forbidden = new Set<string>();
  readonly server: ApiServer;

  constructor(hasListener = true) {
    const clock = new VirtualClock();
    const access: Access = {
      authenticate: async () => MASTER,
      authorize: (_user, wanted) => {
        this.wanted.push(wanted);
        return { isAllowed: !this.forbidden.has(wanted.verb), reason: 'because' };
      },
    };
    this.server = new ApiServer({
      store: openMemoryStore({ clock, log: silentLog }),
      clock,
      random: seededRandom(1),
      log: silentLog,
      kinds: builtInKinds,
      version: {},
      access: () => access,
      ...(hasListener && { kubeletDialer: this.nodes }),
    });
  }

  static async open(hasListener = true): Promise<TestHarness> {
    const harness = new TestHarness(hasListener);
    await harness.create('/api/v1/namespaces', { metadata: { name: 'default' } });
    await harness.create('/api/v1/namespaces/default/serviceaccounts', {
      metadata: { name: 'default' },
    });
    await harness.create('/api/v1/nodes', {
      metadata: { name: 'n1' },
      status: { addresses: [{ type: 'InternalIP', address: '192.0.2.1' }] },
    });
    await harness.createPod('one', ['main']);
    await harness.createPod('two', ['main', 'side']);
    await harness.createPod('lost', ['main'], { nodeName: 'nowhere' });
    await harness.createPod('waiting', ['main'], { nodeName: undefined });
    harness.wanted.length = 0;
    return harness;
  }

  async createPod(name: string, containers: readonly string[], spec: object = {}): Promise<void> {
    const list = containers.map((one) => ({
      name: one,
      image: 'x',
      ports: [{ containerPort: 80 }],
    }));
    await this.create(PODS, {
      metadata: { name },
      spec: { nodeName: 'n1', containers: list, ...spec },
    });
  }

  async create(path: string, object: unknown): Promise<void> {
    const { status, body } = await this.send('POST', path, object);
    if (status !== 201) throw new Error(`${path} was not created: ${JSON.stringify(body)}`);
  }

  async send(method: string, path: string, body?: unknown) {
    const bytes = body === undefined ? null : [Buffer.from(JSON.stringify(body))];
    const answer = await this.server.answer({ ...requestFor(method, path), body: iterate(bytes) });
    const text = answer.body === null ? '' : await new Response(answer.body).text();
    const parsed: JsonObject = text.startsWith('{') ? JSON.parse(text) : {};
    return { status: answer.status, text, headers: [...answer.headers], body: parsed };
  }

  /** Requests an upgrade, and returns everything that the client reads. */
  async upgrade(method: string, path: string): Promise<string> {
    let written = '';
    const socket = new Duplex({
      read: () => {},
      write: (chunk, _encoding, done) => {
        written += String(chunk);
        done();
      },
    });
    const head = Buffer.from('early');
    await this.server.connect(requestFor(method, path), { socket, head });
    return written;
  }
}

function requestFor(method: string, path: string): ApiRequest {
  const headers = new Headers({
    authorization: 'Bearer secret',
    'impersonate-user': 'x',
    'x-other': 'kept',
    upgrade: 'websocket',
  });
  return { method, url: `https://api${path}`, headers, body: null };
}

function iterate(chunks: readonly Uint8Array[] | null): AsyncIterable<Uint8Array> | null {
  if (!chunks) return null;
  return (async function* () {
    yield* chunks;
  })();
}

describe('exec, attach and port-forward', () => {
  test.each([
    [
      'exec?command=ls&command=-l%20x&stdout=1&stderr=true&container=main',
      '/exec/default/one/main?output=1&error=1&command=ls&command=-l+x',
    ],
    [
      'exec?command=sh&stdin=true&stdout=true&tty=1',
      '/exec/default/one/main?input=1&output=1&tty=1&command=sh',
    ],
    ['exec?stdin=false&stdout=0&command=x', '/exec/default/one/main?command=x'],
    ['attach?stdout=1', '/attach/default/one/main?output=1'],
    ['portforward?ports=80&ports=443', '/portForward/default/one?port=80%2C443'],
    ['portforward', '/portForward/default/one'],
  ])('%s is what the kubelet knows as %s', async (asked, target) => {
    const harness = await TestHarness.open();
    expect(await harness.upgrade('POST', `${PODS}/one/${asked}`)).toBe('joined early');
    expect(harness.nodes.target).toBe(target);
    const [{ backend, request } = {}] = harness.nodes.asked;
    expect(backend).toMatchObject({ type: 'kubelet', node: { metadata: { name: 'n1' } } });
    expect(request?.method).toBe('POST');
  });

  test('the credentials of the client are not passed on to the node', async () => {
    const harness = await TestHarness.open();
    await harness.upgrade('POST', `${PODS}/one/exec?command=x`);
    expect([...(harness.nodes.asked[0]?.request.headers ?? [])]).toEqual([
      ['upgrade', 'websocket'],
      ['x-other', 'kept'],
    ]);
  });

  test('a GET needs the permissions to get and to create', async () => {
    const harness = await TestHarness.open();
    await harness.upgrade('GET', `${PODS}/one/exec?command=x`);
    const about = { group: '', version: 'v1', resource: 'pods', subresource: 'exec' };
    const pod = { ...about, namespace: 'default', name: 'one' };
    expect(harness.wanted).toEqual([
      { verb: 'get', ...pod },
      { verb: 'create', ...pod },
    ]);
    harness.forbidden.add('create');
    const refused = await harness.upgrade('GET', `${PODS}/one/exec?command=x`);
    expect(refused).toMatch(/^HTTP\/1.1 403 Forbidden\r\n/);
    expect(refused).toContain('pods \\"one\\" is forbidden: because');
    expect(await harness.upgrade('POST', `${PODS}/one/exec?command=x`)).toContain(
      'cannot create resource \\"pods/exec\\"',
    );
    expect(harness.nodes.asked).toHaveLength(1);
  });

  test.each([
    ['none/exec', 404, 'pods "none" not found'],
    ['waiting/exec', 400, 'pod waiting does not have a host assigned'],
    ['waiting/portforward', 400, 'pod waiting does not have a host assigned'],
    ['lost/exec', 404, 'nodes "nowhere" not found'],
    ['two/exec', 400, 'a container name must be specified for pod two, choose one of: [main side]'],
    ['two/exec?container=x', 400, 'container x is not valid for pod two'],
    ['one/exec?dryRun=All', 400, 'dryRun is not supported'],
  ])('%s is refused with %i', async (path, status, message) => {
    const harness = await TestHarness.open();
    const refused = await harness.upgrade('POST', `${PODS}/${path}`);
    expect(refused.split('\r\n')[0]).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(JSON.parse(refused.slice(refused.indexOf('{')))).toMatchObject({
      code: status,
      message,
    });
    expect((await harness.send('POST', `${PODS}/${path}`)).body).toMatchObject({ message });
    expect(harness.nodes.asked).toEqual([]);
  });

  test('without an upgrade it is refused', async () => {
    const harness = await TestHarness.open();
    const { status, body } = await harness.send('POST', `${PODS}/one/exec?command=x`);
    expect([status, body['message']]).toEqual([400, 'Upgrade request required']);
  });

  test('a node that cannot be reached is a failure of the server', async () => {
    const harness = await TestHarness.open();
    harness.nodes.answer = new Error('connect ECONNREFUSED 192.0.2.1:10250');
    const refused = await harness.upgrade('POST', `${PODS}/one/exec?command=x`);
    expect(JSON.parse(refused.slice(refused.indexOf('{')))).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'error dialing backend: connect ECONNREFUSED 192.0.2.1:10250',
      code: 500,
    });
  });

  test('a server without a kubelet dialer says so', async () => {
    const harness = await TestHarness.open(false);
    const refused = await harness.upgrade('POST', `${PODS}/one/exec?command=x`);
    expect(refused).toMatch(/^HTTP\/1.1 503 Service Unavailable\r\n/);
    expect(refused).toContain('"reason":"ServiceUnavailable"');
  });

  test('an upgrade of any other path gets a plain answer', async () => {
    const harness = await TestHarness.open();
    const answer = await harness.upgrade('GET', `${PODS}/one`);
    expect(answer).toMatch(/^HTTP\/1.1 200 OK\r\n[\s\S]*connection: close\r\n\r\n\{"kind":"Pod"/);
  });
});

describe('logs', () => {
  test('come from the kubelet as text', async () => {
    const harness = await TestHarness.open();
    const query = 'follow=true&tailLines=10&timestamps=true&sinceSeconds=5&limitBytes=9&previous=1';
    const answer = await harness.send('GET', `${PODS}/one/log?${query}`);
    expect(answer).toMatchObject({
      status: 200,
      text: 'from the node',
      headers: [['content-type', 'text/plain']],
    });
    expect(harness.nodes.target).toBe(
      '/containerLogs/default/one/main?follow=true&previous=true&timestamps=true' +
        '&sinceSeconds=5&tailLines=10&limitBytes=9',
    );
    expect(harness.wanted).toMatchObject([{ verb: 'get', subresource: 'log' }]);
  });

  test('of a pod that is on no node are empty', async () => {
    const harness = await TestHarness.open();
    expect(await harness.send('GET', `${PODS}/waiting/log`)).toMatchObject({
      status: 204,
      text: '',
    });
  });

  test.each([
    ['tailLines=-1', 422, 'tailLines: Invalid value: -1: must be greater than or equal to 0'],
    ['limitBytes=0', 422, 'limitBytes: Invalid value: 0: must be greater than 0'],
    ['sinceSeconds=0', 422, 'sinceSeconds: Invalid value: 0: must be greater than 0'],
    [
      'sinceSeconds=1&sinceTime=x',
      422,
      'at most one of `sinceTime` or `sinceSeconds` may be specified',
    ],
    ['stream=Stdout', 422, 'stream: Forbidden: may not be specified'],
    ['tailLines=x', 400, 'strconv.ParseInt: parsing "x": invalid syntax'],
    ['container=x', 400, 'container x is not valid for pod one'],
  ])('%s is refused with %i', async (query, status, message) => {
    const harness = await TestHarness.open();
    const answer = await harness.send('GET', `${PODS}/one/log?${query}`);
    expect(answer.status).toBe(status);
    expect(answer.body['message']).toContain(message);
    expect(harness.nodes.asked).toEqual([]);
  });

  test.each([
    [400, 400, 'BadRequest', 'container "main" is waiting to start'],
    [500, 500, 'InternalError', 'Internal error occurred: container "main" is waiting to start'],
    [404, 404, 'NotFound', 'the server could not find the requested resource ( pods/log one)'],
    [
      502,
      502,
      'InternalError',
      String.raw`an error on the server ("container \"main\" is waiting to start") has prevented the request from succeeding ( pods/log one)`,
    ],
  ])('a kubelet that answers %i', async (given, status, reason, message) => {
    const harness = await TestHarness.open();
    harness.nodes.answer = {
      status: given,
      headers: [],
      body: new Response('container "main" is waiting to start').body,
    };
    const answer = await harness.send('GET', `${PODS}/one/log`);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ reason, message });
  });
});

describe('proxies', () => {
  async function openWithAddress(podIP: string): Promise<TestHarness> {
    const harness = await TestHarness.open();
    const status = { podIP, podIPs: [{ ip: podIP }], phase: 'Running' };
    const { body } = await harness.send('GET', `${PODS}/one`);
    const answer = await harness.send('PUT', `${PODS}/one/status`, { ...body, status });
    expect(answer.status).toBe(200);
    harness.wanted.length = 0;
    return harness;
  }

  test('a request to a pod goes to its first port, with its path, query and method', async () => {
    const harness = await openWithAddress('10.1.2.3');
    harness.nodes.answer = { status: 418, headers: [['x-tea', 'pot']], body: 'short and stout' };
    const answer = await harness.send('PUT', `${PODS}/one/proxy/a%2Fb/?c=d`, { x: 1 });
    expect(answer).toMatchObject({
      status: 418,
      headers: [['x-tea', 'pot']],
      text: 'short and stout',
    });
    expect(harness.nodes.asked[0]).toMatchObject({
      backend: { type: 'address', scheme: 'http', host: '10.1.2.3', port: 80 },
      request: { method: 'PUT' },
    });
    expect(harness.nodes.target).toBe('/a%2Fb/?c=d');
    expect(harness.wanted).toMatchObject([
      { verb: 'update', resource: 'pods', subresource: 'proxy' },
    ]);
  });

  test('the name may choose another port, and TLS', async () => {
    const harness = await openWithAddress('10.1.2.3');
    await harness.send('GET', `${PODS}/https:one:8443/proxy/`);
    expect(harness.nodes.asked[0]?.backend).toMatchObject({ scheme: 'https', port: 8443 });
    for (const bad of ['ftp:one:1', 'one:x', 'a:b:c:d', ':1']) {
      const { status, body } = await harness.send('GET', `${PODS}/${bad}/proxy/`);
      expect([status, body['message']]).toEqual([400, `invalid pod request "${bad}"`]);
    }
  });

  test.each(['127.0.0.1', '169.254.1.1', '::1', 'fe80::1', ''])(
    'the server cannot be made to dial %s',
    async (podIP) => {
      const harness = podIP === '' ? await TestHarness.open() : await openWithAddress(podIP);
      const { status, body } = await harness.send('GET', `${PODS}/one/proxy/`);
      expect([status, body['message']]).toEqual([400, 'address not allowed']);
      expect(harness.nodes.asked).toEqual([]);
    },
  );

  test('a loopback address is proxied to if the node of this process gave it to the pod', async () => {
    const harness = await openWithAddress('127.9.8.7');
    harness.nodes.loopbackAddressesOf = async () => ['127.9.8.8'];
    expect((await harness.send('GET', `${PODS}/one/proxy/`)).status).toBe(400);
    harness.nodes.loopbackAddressesOf = async () => ['127.9.8.7'];
    expect((await harness.send('GET', `${PODS}/one/proxy/`)).status).toBe(200);
    expect(harness.nodes.asked[0]?.backend).toMatchObject({ type: 'address', host: '127.9.8.7' });
  });

  test.each(['127.0.0.1', '169.254.1.1', '::1', '0.0.0.0'])(
    'a node at %s is not proxied to, unless its kubelet is in this process',
    async (address) => {
      const harness = await TestHarness.open();
      await harness.create('/api/v1/nodes', {
        metadata: { name: 'near' },
        status: { addresses: [{ type: 'InternalIP', address }] },
      });
      for (const name of ['near', 'near:10250', 'near:6443']) {
        const { status, body } = await harness.send('GET', `/api/v1/nodes/${name}/proxy/`);
        expect([status, body['message']]).toEqual([400, 'address not allowed']);
      }
      harness.nodes.isLocal = (name) => name === 'near';
      expect((await harness.send('GET', '/api/v1/nodes/near/proxy/')).status).toBe(200);
      expect((await harness.send('GET', '/api/v1/nodes/near:6443/proxy/')).status).toBe(400);
    },
  );

  test('a path without its slash is sent to the one with it', async () => {
    const harness = await openWithAddress('10.1.2.3');
    const { status, headers } = await harness.send('GET', `${PODS}/one/proxy?a=b`);
    expect([status, headers]).toEqual([301, [['location', `${PODS}/one/proxy/?a=b`]]]);
  });

  test('a request to a node goes to its kubelet, or to another port of its address', async () => {
    const harness = await TestHarness.open();
    await harness.send('GET', '/api/v1/nodes/n1/proxy/stats/summary');
    await harness.send('GET', '/api/v1/nodes/n1:10250/proxy/');
    await harness.send('GET', '/api/v1/nodes/n1:9100/proxy/metrics');
    expect(harness.nodes.asked.map(({ backend }) => backend)).toMatchObject([
      { type: 'kubelet' },
      { type: 'kubelet' },
      { type: 'address', scheme: 'http', host: '192.0.2.1', port: 9100 },
    ]);
    expect((await harness.send('GET', '/api/v1/nodes/n2/proxy/')).body['message']).toBe(
      'nodes "n2" not found',
    );
  });

  test('a request to a service goes to a pod behind it, and to no other address', async () => {
    const harness = await openWithAddress('10.1.2.3');
    const services = '/api/v1/namespaces/default/services';
    const ports = [
      { name: 'web', port: 80, targetPort: 8080 },
      { name: 'admin', port: 81 },
    ];
    await harness.create(services, { metadata: { name: 's' }, spec: { ports } });
    await harness.create(services, { metadata: { name: 'empty' }, spec: { ports } });
    const targetRef = { kind: 'Pod', namespace: 'default', name: 'one' };
    await harness.create('/api/v1/namespaces/default/endpoints', {
      metadata: { name: 's' },
      subsets: [
        {
          addresses: [
            { ip: '10.1.2.3', targetRef },
            { ip: '10.9.9.9', targetRef },
            { ip: '10.8.8.8' },
            { ip: '10.1.2.3', targetRef: { ...targetRef, namespace: 'other' } },
          ],
          ports: [{ name: 'web', port: 8080 }],
        },
      ],
    });
    for (const name of ['s:web', 's:80', 'http:s:web']) {
      expect((await harness.send('GET', `${services}/${name}/proxy/x`)).status).toBe(200);
      expect(harness.nodes.asked.at(-1)?.backend).toEqual({
        type: 'address',
        scheme: 'http',
        host: '10.1.2.3',
        port: 8080,
      });
    }
    const refusals = ['s:82', 's:admin', 's', 'empty:80', 'none:web'].map(async (name) => {
      const { status, body } = await harness.send('GET', `${services}/${name}/proxy/`);
      return [status, body['message']];
    });
    expect(await Promise.all(refusals)).toEqual([
      [503, 'no service port 82 found for service "s"'],
      [503, 'no endpoints available for service "s:admin"'],
      [503, 'no endpoints available for service "s"'],
      [404, 'endpoints "empty" not found'],
      [404, 'endpoints "none" not found'],
    ]);
  });

  test('only a proxy has paths below it', async () => {
    const harness = await TestHarness.open();
    for (const path of ['one/exec/x', 'one/status/x', 'one/log/x']) {
      expect((await harness.send('GET', `${PODS}/${path}`)).status).toBe(404);
    }
  });
});

test('discovery lists all of them', async () => {
  const harness = await TestHarness.open();
  const { body } = await harness.send('GET', '/api/v1');
  const resources = body['resources'] as { name: string; kind: string; verbs: string[] }[];
  const notified = resources.filter(({ name }) =>
    /^(?:pods|nodes|services)\/(?:attach|exec|log|portforward|proxy)$/.test(name),
  );
  expect(notified.map(({ name, kind, verbs }) => `${name} ${kind} ${verbs.join()}`)).toEqual([
    'nodes/proxy NodeProxyOptions create,delete,get,patch,update',
    'pods/attach PodAttachOptions create,get',
    'pods/exec PodExecOptions create,get',
    'pods/log Pod get',
    'pods/portforward PodPortForwardOptions create,get',
    'pods/proxy PodProxyOptions create,delete,get,patch,update',
    'services/proxy ServiceProxyOptions create,delete,get,patch,update',
  ]);
});

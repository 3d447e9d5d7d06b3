/** Traces of a node that runs as a process: what a collector gets by OTLP over HTTP for the life of a pod. */
import { createServer } from 'node:http';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { KubeconfigClient, PodkeepUp } from '../support/podkeep-up.ts';
import { makeTempFolder } from '../support/temp-folder.ts';

const TIMEOUT = 90_000;
const WAIT = { timeout: 60_000, interval: 50 };
const PODS = '/api/v1/namespaces/default/pods';

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string };
}

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly status?: { readonly code: number; readonly message: string };
  readonly events?: readonly { readonly name: string }[];
}

interface Traces {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
  }[];
}

async function startCollector() {
  const requests: { readonly what: string; readonly traces: Traces }[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      const what = `${request.method} ${request.url} ${request.headers['content-type']}`;
      requests.push({ what, traces: JSON.parse(body) as Traces });
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const spans = (): readonly Span[] =>
    requests.flatMap(({ traces: { resourceSpans } }) =>
      resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans: some }) => some)),
    );
  return { port: typeof address === 'object' ? address?.port : 0, requests, spans };
}

async function startNode(tracing: string) {
  const folder = makeTempFolder();
  const config = path.join(folder, 'config.yaml');
  writeFileSync(
    config,
    `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
tracing: ${tracing}
---
apiVersion: podkeep.dev/v1alpha1
kind: PodkeepConfiguration
simulated: { scripts: { images: { broken: { createError: no space left on device } } } }
`,
  );
  const data = path.join(folder, 'data');
  const files = ['--data-dir', data, '--config', config];
  const up = new PodkeepUp([
    ...files,
    ...['--port', '0', '--output', 'json', '--runtime', 'simulated', '--no-supervise'],
  ]);
  await up.event('node');
  const client = new KubeconfigClient(path.join(data, 'kubeconfig'));
  const create = async (name: string, image: string): Promise<void> => {
    const pod = { metadata: { name }, spec: { containers: [{ name: 'main', image }] } };
    await vi.waitFor(async () => {
      expect(await client.send('POST', PODS, pod)).toMatchObject({ code: 201 });
    }, WAIT);
  };
  const statusOf = async (name: string) => (await client.send('GET', `${PODS}/${name}`)).body;
  return { up, client, create, statusOf };
}

function attributesOf({ attributes }: { readonly attributes: readonly Attribute[] }) {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue]));
}

test(
  'a collector gets the syncs, status writes and runtime calls of a pod, with their parents and failures',
  async () => {
    const collector = await startCollector();
    const endpoint = `127.0.0.1:${collector.port}`;
    const node = await startNode(`{ endpoint: "${endpoint}", samplingRatePerMillion: 1000000 }`);
    await node.create('web', 'any');
    await node.create('failing', 'broken');
    await vi.waitFor(async () => {
      expect(await node.statusOf('web')).toMatchObject({ status: { phase: 'Running' } });
      expect(JSON.stringify(await node.statusOf('failing'))).toContain('no space left on device');
    }, WAIT);
    const { metadata } = await node.statusOf('web');
    await node.client.send('DELETE', `${PODS}/web`);
    await vi.waitFor(async () => {
      expect(await node.client.send('GET', `${PODS}/web`)).toMatchObject({ code: 404 });
    }, WAIT);
    node.up.child.kill('SIGTERM');
    expect(await node.up.ended).toMatchObject({ code: 0 });

    const [first] = collector.requests;
    expect(first?.what).toBe('POST /v1/traces application/json');
    const [of] = first?.traces.resourceSpans ?? [];
    expect(of && attributesOf(of.resource)['service.name']).toBe('kubelet');

    const spans = collector.spans();
    for (const span of spans) {
      expect(span.traceId).toMatch(/^[0-9a-f]{32}$/);
      expect(span.spanId).toMatch(/^[0-9a-f]{16}$/);
      expect(span.startTimeUnixNano).toMatch(/^\d{19}$/);
      expect(BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano)).toBe(true);
    }
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);

    const ofWeb = spans.filter((span) => attributesOf(span)['k8s.pod'] === 'default/web');
    const { uid } = metadata as { readonly uid: string };
    expect(ofWeb.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        ...['syncPod', 'syncTerminatingPod', 'syncTerminatedPod', 'writePodStatus'],
      ]),
    );
    for (const span of ofWeb) {
      expect(span).toMatchObject({ kind: 1 });
      expect(span).not.toHaveProperty('parentSpanId');
      expect(attributesOf(span)).toMatchObject({
        'k8s.pod.uid': uid,
        'k8s.pod.name': 'web',
        'k8s.namespace.name': 'default',
      });
    }
    const run = parentsOf(spans, 'RuntimeService/RunPodSandbox').find(isOfWeb);
    expect(run && attributesOf(run)).toMatchObject({ 'k8s.pod.update_type': 'create' });
    expect(parentsOf(spans, 'RuntimeService/StartContainer').some(isOfWeb)).toBe(true);
    const stops = parentsOf(spans, 'RuntimeService/StopContainer').filter(isOfWeb);
    expect(stops.map(({ name }) => name)).toEqual(['syncTerminatingPod']);

    const failed = spans.find(
      ({ name, status }) => name === 'runtime.v1.RuntimeService/CreateContainer' && status,
    );
    expect(failed).toMatchObject({
      status: { code: 2, message: expect.stringContaining('no space left on device') },
      events: [{ name: 'exception' }],
    });
    const failedSync = spans.find(({ spanId }) => spanId === failed?.parentSpanId);
    expect(failedSync).toMatchObject({ name: 'syncPod', status: { code: 2 } });
    expect(failedSync?.traceId).toBe(failed?.traceId);
  },
  TIMEOUT,
);

test(
  'a collector that is down leaves pods and the end of podkeep alone, and is reported once',
  async () => {
    const node = await startNode('{ endpoint: "127.0.0.1:1", samplingRatePerMillion: 1000000 }');
    await node.create('web', 'any');
    await vi.waitFor(async () => {
      expect(await node.statusOf('web')).toMatchObject({ status: { phase: 'Running' } });
    }, WAIT);
    node.up.child.kill('SIGTERM');
    expect(await node.up.ended).toMatchObject({ code: 0 });
    const log = `${node.up.out}${node.up.err}`;
    expect(log.split('Failed to export spans')).toHaveLength(2);
    expect(log).toContain('not over gRPC');
  },
  TIMEOUT,
);

function isOfWeb(span: Span): boolean {
  return attributesOf(span)['k8s.pod'] === 'default/web';
}

/** The parents of all calls of this name. */
function parentsOf(spans: readonly Span[], method: string): readonly Span[] {
  const calls = spans.filter(({ name }) => name === `runtime.v1.${method}`);
  const parents = new Set(calls.map(({ parentSpanId }) => parentSpanId));
  return spans.filter(({ spanId }) => parents.has(spanId));
}

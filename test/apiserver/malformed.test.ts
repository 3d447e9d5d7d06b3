/**
 * Malformed requests: the server answers each, in JSON and with a Status if it fails, and goes on
 * serving.
 *
 * `MALFORMED=30000 npx vitest run test/apiserver/malformed.test.ts` sends as many as that.
 */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ApiHarness } from './api-harness.ts';

const COUNT = Number(process.env['MALFORMED'] ?? 3000);

const word = fc.oneof(
  fc.constantFrom('default', 'pods', 'configmaps', 'a', 'namespaces', 'status', 'nodes', 'events'),
  fc.constantFrom('..', '.', '', '%00', '%2f', '%ff', '%', 'a%20b', 'A_B', '__proto__', '~', 'é'),
  fc.string({ maxLength: 12 }).map(encodeURIComponent),
);

const pathname = fc.oneof(
  fc
    .tuple(
      fc.constantFrom(
        '/api/v1',
        '/apis/apps/v1',
        '/apis/batch/v1',
        '/apis/coordination.k8s.io/v1',
        '/apis/apiextensions.k8s.io/v1',
        '/apis/rbac.authorization.k8s.io/v1',
        '/apis',
        '/api',
        '/openapi/v3',
        '',
      ),
      fc.array(word, { maxLength: 6 }),
    )
    .map(([root, words]) => [root, ...words].join('/')),
  fc.constantFrom(
    '/api/v1/namespaces/default/configmaps',
    '/api/v1/namespaces/default/configmaps/a',
    '/api/v1/namespaces/default/pods',
    '/api/v1/namespaces/default/pods/p',
    '/api/v1/namespaces/default/pods/p/status',
    '/api/v1/namespaces/default/pods/p/eviction',
    '/api/v1/namespaces/default/pods/p/binding',
    '/apis/apps/v1/namespaces/default/deployments',
    '/apis/apps/v1/namespaces/default/deployments/d/scale',
    '/api/v1/namespaces',
    '/api/v1/namespaces/default/services',
    '/api/v1/namespaces/default/resourcequotas',
    '/apis/batch/v1/namespaces/default/cronjobs',
    '/apis/networking.k8s.io/v1/namespaces/default/ingresses',
    '/apis/policy/v1/namespaces/default/poddisruptionbudgets',
  ),
);

const query = fc.dictionary(
  fc.constantFrom(
    'labelSelector',
    'fieldSelector',
    'limit',
    'continue',
    'resourceVersion',
    'resourceVersionMatch',
    'dryRun',
    'fieldValidation',
    'fieldManager',
    'propagationPolicy',
    'gracePeriodSeconds',
    'sendInitialEvents',
    'timeoutSeconds',
    'pretty',
    'includeObject',
  ),
  fc.oneof(
    fc.constantFrom('a=b', 'a in (b', '!a', 'metadata.name=a', 'spec.x=1', '-1', '0', '1', 'All'),
    fc.constantFrom('true', 'Strict', 'Exact', 'NotOlderThan', 'Foreground', '1e99', 'e30='),
    fc.string({ maxLength: 10 }),
  ),
  { maxKeys: 3 },
);

const anyJson = fc.jsonValue({ depthSize: 'medium' });
/** Objects that look plausible, with anything inside. */
const almostObject = fc.record(
  {
    apiVersion: fc.oneof(fc.constantFrom('v1', 'apps/v1', 'nope/v9'), anyJson),
    kind: fc.oneof(fc.constantFrom('Pod', 'ConfigMap', 'Deployment', 'List'), anyJson),
    metadata: fc.oneof(
      fc.record(
        {
          name: fc.oneof(fc.constantFrom('a', 'p', 'A', ''), anyJson),
          namespace: fc.oneof(fc.constantFrom('default', 'other'), anyJson),
          labels: anyJson,
          annotations: anyJson,
          finalizers: anyJson,
          ownerReferences: anyJson,
          resourceVersion: anyJson,
          uid: anyJson,
          deletionTimestamp: anyJson,
          generateName: anyJson,
          managedFields: anyJson,
        },
        { requiredKeys: [] },
      ),
      anyJson,
    ),
    spec: fc.oneof(
      fc.record(
        {
          containers: fc.oneof(
            fc.array(
              fc.record(
                {
                  name: fc.oneof(fc.constant('c'), anyJson),
                  image: fc.oneof(fc.constant('i'), anyJson),
                  resources: anyJson,
                  ports: anyJson,
                  env: anyJson,
                  livenessProbe: anyJson,
                  securityContext: anyJson,
                },
                { requiredKeys: [] },
              ),
            ),
            anyJson,
          ),
          volumes: anyJson,
          template: anyJson,
          selector: anyJson,
          replicas: anyJson,
          hard: anyJson,
          rules: anyJson,
          schedule: anyJson,
          affinity: anyJson,
          tolerations: anyJson,
          topologySpreadConstraints: anyJson,
          ports: anyJson,
        },
        { requiredKeys: [] },
      ),
      anyJson,
    ),
    status: anyJson,
    data: anyJson,
    target: anyJson,
    deleteOptions: anyJson,
  },
  { requiredKeys: [] },
);

const patchList = fc.array(
  fc.record({
    op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test', 'nope'),
    path: fc.constantFrom('', '/', '/metadata', '/data/a', '/spec/containers/-', '/~2', 'x'),
    from: fc.constantFrom('', '/metadata', '/nope'),
    value: anyJson,
  }),
  { maxLength: 4 },
);

/** Brackets inside brackets, closed or not, in JSON and in YAML. */
const deep = fc
  .record({
    open: fc.constantFrom('[', '{"a":', '[{"a":', '{"metadata":{"labels":', '- ', '{a: ', '? '),
    levels: fc.oneof(fc.nat({ max: 600 }), fc.constantFrom(499, 500, 501, 3000, 9999, 10_001)),
    isClosed: fc.boolean(),
  })
  .map(({ open, levels, isClosed }) => {
    const closing = open
      .split('')
      .toReversed()
      .map((char) => ({ '[': ']', '{': '}' })[char] ?? '');
    return `${open.repeat(levels)}${isClosed ? `1${closing.join('').repeat(levels)}` : ''}`;
  });

/** Text that breaks off, or is followed by something else. */
const cut = fc
  .tuple(almostObject, fc.nat(), fc.constantFrom('', '}', '\u0000', ' {}', '\n---\n{}'))
  .map(([value, at, tail]) => {
    const text = JSON.stringify(value);
    return `${text.slice(0, at % (text.length + 1))}${tail}`;
  });

const yamlText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'metadata:',
        '  name: a',
        'a: &a [1]',
        'b: *a',
        'c: *nope',
        '<<: *a',
        '\ta: 1',
      ),
      fc.constantFrom('- a', '? b', '!!binary x', 'd: !!set {a}', 'e: !x y', '--- ', '...', '%TAG'),
      fc.constantFrom('f: |', '  text', 'g: "', 'h: [', 'name: a', 'name: b', 'i: .inf', 'j: 0x1'),
      fc.constantFrom('k: 2001-12-14t21:59:43.10-05:00', '[a]: b', 'l: {a: 1, a: 2}', 'on: off'),
    ),
    { maxLength: 12 },
  )
  .map((lines) => lines.join('\n'));

/** The same text in another encoding than UTF-8, or with invalid characters. */
const encoded = fc
  .tuple(almostObject, fc.constantFrom('utf16le', 'latin1', 'base64', 'bom', 'broken'))
  .map(([value, encoding]) => {
    const text = JSON.stringify({ ...value, é: '\u{1F600}' });
    if (encoding === 'bom') return Buffer.from(`\uFEFF${text}`);
    if (encoding === 'broken') return Buffer.concat([Buffer.from(text), Buffer.from([0xc3, 0x28])]);
    return Buffer.from(text, encoding as BufferEncoding);
  });

const body = fc.oneof(
  { weight: 2, arbitrary: deep },
  { weight: 2, arbitrary: cut },
  { weight: 2, arbitrary: yamlText },
  { weight: 1, arbitrary: encoded.map((bytes) => Uint8Array.from(bytes)) },
  { weight: 4, arbitrary: almostObject.map((value) => JSON.stringify(value)) },
  { weight: 2, arbitrary: patchList.map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: anyJson.map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: fc.string({ maxLength: 60 }) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }).map((bytes) => Uint8Array.from(bytes)) },
  {
    weight: 1,
    arbitrary: fc
      .uint8Array({ maxLength: 60 })
      .map((bytes) => Buffer.from([0x6b, 0x38, 0x73, 0, ...bytes])),
  },
  { weight: 1, arbitrary: fc.constant('['.repeat(5000)) },
  { weight: 1, arbitrary: fc.constant(`{"a":${'{"b":'.repeat(3000)}1${'}'.repeat(3001)}`) },
);

const contentType = fc.oneof(
  fc.constantFrom(
    'application/json',
    'application/yaml',
    'application/vnd.kubernetes.protobuf',
    'application/json-patch+json',
    'application/merge-patch+json',
    'application/strategic-merge-patch+json',
    'application/apply-patch+yaml',
    'text/plain',
  ),
  fc.constantFrom(
    'application/cbor',
    'application/cbor-seq',
    'application/apply-patch+cbor',
    'application/vnd.kubernetes.protobuf;type=watch',
    'application/JSON; charset=utf-16',
    'application/yaml; charset="',
  ),
  fc.constantFrom('', 'json', 'application/json; charset=latin1', ';;;', 'a/b/c'),
);

const accept = fc.constantFrom(
  '*/*',
  'application/json',
  'application/yaml',
  'application/json;as=Table;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  'application/json;as=Nope;v=v0;g=x',
  'application/vnd.kubernetes.protobuf',
  'application/cbor',
  'text/html',
  ';;;q=',
  'application/json;q=nope',
);

const method = fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD');

/** kube-apiserver answers a version that is no number, is set on a new object or is of the future so, too. */
function isVersionFault(status: number, text: string): boolean {
  if (status === 504) return text.includes('Too large resource version');
  return status === 500 && /resourceVersion(?:: Invalid value| should not be set)/.test(text);
}

test(`${COUNT} malformed requests are answered, each with a Status if it fails`, async () => {
  const harness = await ApiHarness.open();
  await harness.send('POST', '/api/v1/namespaces/default/serviceaccounts', {
    metadata: { name: 'default' },
  });
  await harness.send('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'a' } });
  await harness.send('POST', '/api/v1/namespaces/default/pods', {
    metadata: { name: 'p' },
    spec: { containers: [{ name: 'c', image: 'i' }] },
  });
  const request = fc.record({ method, pathname, query, body, contentType, accept });
  await fc.assert(
    fc.asyncProperty(request, async (sent) => {
      const search = new URLSearchParams(sent.query).toString();
      const hasBody = sent.method !== 'GET' && sent.method !== 'HEAD';
      const response = await harness.server.fetch(
        new Request(`http://podkeep${sent.pathname}?${search}`, {
          method: sent.method,
          headers: { 'content-type': sent.contentType, accept: sent.accept },
          ...(hasBody && { body: sent.body }),
        }),
      );
      const text = await response.text();
      const isHonest = isHonest500(sent.pathname) || isVersionFault(response.status, text);
      expect(response.status).toBeLessThan(isHonest ? 505 : 500);
      const type = response.headers.get('content-type') ?? '';
      if (response.status < 400 || sent.method === 'HEAD' || type.startsWith('text/plain')) return;
      if (!type.includes('json')) return;
      expect(JSON.parse(text)).toMatchObject({ kind: 'Status', code: response.status });
    }),
    { numRuns: COUNT, seed: 20_361, endOnFailure: true },
  );
  expect(await harness.send('GET', '/api/v1/namespaces/default')).toMatchObject({ code: 200 });
}, 1_800_000);

/** A binding that names no node is answered 500 by kube-apiserver too. */
function isHonest500(path: string): boolean {
  return path.endsWith('/binding');
}

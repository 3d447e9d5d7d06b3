import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import type { ApiResponse } from '../../ports/api/http-handler.ts';
import { Catalog } from '../registry/catalog.ts';
import { configMaps } from '../kinds/core/config-map.ts';
import { deployments } from '../kinds/apps/deployment.ts';
import { openApiHandlers } from './openapi-handlers.ts';

const PROTOBUF_V2 = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
const PROTOBUF_V3 = 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf';

function openHandlers(): (path: string, headers?: Record<string, string>) => Promise<Answer> {
  const handler = openApiHandlers({
    catalog: new Catalog([configMaps, deployments]),
    clock: new VirtualClock(),
  });
  return async (path, headers = {}) => {
    const url = new URL(path, 'http://podkeep');
    const request = { method: 'GET', url: url.href, headers: new Headers(headers), body: null };
    const response = await handler(request, url);
    if (!response) throw new Error('it is another page');
    return { ...response, header: new Map(response.headers) };
  };
}

interface Answer extends ApiResponse {
  readonly header: ReadonlyMap<string, string>;
}

async function addressOf(get: ReturnType<typeof openHandlers>, name: string): Promise<string> {
  const { body } = await get('/openapi/v3');
  const { paths } = JSON.parse(textOf(body)) as Index;
  return paths[name]?.serverRelativeURL ?? '';
}

interface Index {
  readonly paths: Readonly<Record<string, { readonly serverRelativeURL: string }>>;
}

describe('the index', () => {
  test('has the address of each document, with the hash of its content', async () => {
    const get = openHandlers();
    expect(await addressOf(get, 'apis/apps/v1')).toMatch(
      /^\/openapi\/v3\/apis\/apps\/v1\?hash=[0-9A-F]{128}$/,
    );
    expect(await addressOf(get, 'api/v1')).toMatch(/^\/openapi\/v3\/api\/v1\?hash=/);
  });

  test('is not sent again to a client that has it', async () => {
    const get = openHandlers();
    const { header } = await get('/openapi/v3');
    const again = await get('/openapi/v3', { 'if-none-match': header.get('etag') ?? '' });
    expect(again.status).toBe(304);
    expect(again.body).toBeNull();
  });
});

describe('a document', () => {
  test('that is requested by its hash may be cached indefinitely', async () => {
    const get = openHandlers();
    const { status, header, body } = await get(await addressOf(get, 'apis/apps/v1'));
    expect(status).toBe(200);
    expect(header.get('content-type')).toBe('application/json');
    expect(header.get('cache-control')).toBe('public, immutable');
    expect(header.get('expires')).toMatch(/ GMT$/);
    expect(header.get('vary')).toBe('Accept');
    expect(JSON.parse(textOf(body))).toMatchObject({
      openapi: '3.0.0',
      info: { title: 'Kubernetes' },
    });
  });

  test('that is requested without a hash has to be revalidated', async () => {
    const { status, header } = await openHandlers()('/openapi/v3/apis/apps/v1');
    expect(status).toBe(200);
    expect(header.get('cache-control')).toBe('no-cache, private');
    expect(header.has('expires')).toBe(false);
    expect(header.get('etag')).toMatch(/^"[0-9A-F]{128}"$/);
  });

  test('that has changed since redirects to its new address', async () => {
    const get = openHandlers();
    const { status, header, body } = await get('/openapi/v3/apis/apps/v1?hash=OLD');
    expect(status).toBe(301);
    expect(header.get('location')).toBe(await addressOf(get, 'apis/apps/v1'));
    expect(body).toBeNull();
  });

  test('is not sent again to a client that names its tag, strong or weak, or any', async () => {
    const get = openHandlers();
    const { header } = await get('/openapi/v3/api/v1');
    const tag = header.get('etag') ?? '';
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const again = await get('/openapi/v3/api/v1', { 'if-none-match': known });
      expect(again.status).toBe(304);
      expect(again.header.get('etag')).toBe(tag);
      expect(again.header.has('content-type')).toBe(false);
    }
    expect((await get('/openapi/v3/api/v1', { 'if-none-match': '"other"' })).status).toBe(200);
  });

  test('has the same tag as JSON and as protobuf', async () => {
    const get = openHandlers();
    const json = await get('/openapi/v3/api/v1');
    const protobuf = await get('/openapi/v3/api/v1', { accept: PROTOBUF_V3 });
    expect(protobuf.header.get('content-type')).toBe(
      'application/com.github.proto-openapi.spec.v3.v1.0+protobuf',
    );
    expect(protobuf.header.get('etag')).toBe(json.header.get('etag'));
    expect(protobuf.body).toBeInstanceOf(Uint8Array);
  });

  test('that does not exist is not found, with an empty body', async () => {
    const { status, body } = await openHandlers()('/openapi/v3/apis/unknown/v1');
    expect(status).toBe(404);
    expect(body).toBeNull();
  });

  test('that is requested in another form is not acceptable', async () => {
    const get = openHandlers();
    const accept = 'text/html';
    expect((await get('/openapi/v3/api/v1', { accept })).status).toBe(406);
    expect((await get('/openapi/v3/api/v1?hash=OLD', { accept })).status).toBe(406);
    expect((await get('/openapi/v2', { accept })).status).toBe(406);
  });
});

describe('version 2', () => {
  test('is what kubectl requests, as protobuf, to check a list', async () => {
    const { status, header, body } = await openHandlers()('/openapi/v2', { accept: PROTOBUF_V2 });
    expect(status).toBe(200);
    expect(header.get('content-type')).toBe(
      'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
    );
    expect(Buffer.from(body as Uint8Array).toString('utf8')).toContain(
      'io.k8s.api.core.v1.ConfigMap',
    );
  });

  test('is JSON for all other clients', async () => {
    const { body } = await openHandlers()('/openapi/v2');
    const document = JSON.parse(textOf(body)) as Record<string, unknown>;
    expect(document['swagger']).toBe('2.0');
    expect(document['definitions']).toHaveProperty(['io.k8s.api.apps.v1.Deployment']);
  });
});

function textOf(body: ApiResponse['body']): string {
  return typeof body === 'string' ? body : '';
}

test('other paths are not handled', () => {
  const handler = openApiHandlers({ catalog: new Catalog([]), clock: new VirtualClock() });
  for (const path of ['/openapi', '/openapi/v3beta', '/openapi/v2/', '/version']) {
    const url = new URL(path, 'http://podkeep');
    const request = { method: 'GET', url: url.href, headers: new Headers(), body: null };
    expect(handler(request, url)).toBeNull();
  }
});

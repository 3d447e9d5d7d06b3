import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import type { ApiResponse } from '../../ports/http-handler.ts';
import { Catalog } from '../catalog.ts';
import { configMaps } from '../kinds/config-map.ts';
import { deployments } from '../kinds/deployment.ts';
import { openApiPages } from './openapi-pages.ts';

const PROTOBUF_V2 = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
const PROTOBUF_V3 = 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf';

function openPages(): (path: string, headers?: Record<string, string>) => Promise<Answer> {
  const page = openApiPages({
    catalog: new Catalog([configMaps, deployments]),
    clock: new VirtualClock(),
  });
  return async (path, headers = {}) => {
    const url = new URL(path, 'http://podkeep');
    const request = { method: 'GET', url: url.href, headers: new Headers(headers), body: null };
    const response = await page(request, url);
    if (!response) throw new Error('it is another page');
    return { ...response, header: new Map(response.headers) };
  };
}

interface Answer extends ApiResponse {
  readonly header: ReadonlyMap<string, string>;
}

async function addressOf(get: ReturnType<typeof openPages>, name: string): Promise<string> {
  const { body } = await get('/openapi/v3');
  const { paths } = JSON.parse(textOf(body)) as Index;
  return paths[name]?.serverRelativeURL ?? '';
}

interface Index {
  readonly paths: Readonly<Record<string, { readonly serverRelativeURL: string }>>;
}

describe('the index', () => {
  test('tells the address of each document, with the hash of its content', async () => {
    const get = openPages();
    expect(await addressOf(get, 'apis/apps/v1')).toMatch(
      /^\/openapi\/v3\/apis\/apps\/v1\?hash=[0-9A-F]{128}$/,
    );
    expect(await addressOf(get, 'api/v1')).toMatch(/^\/openapi\/v3\/api\/v1\?hash=/);
  });

  test('is not sent again to who has it', async () => {
    const get = openPages();
    const { header } = await get('/openapi/v3');
    const again = await get('/openapi/v3', { 'if-none-match': header.get('etag') ?? '' });
    expect(again.status).toBe(304);
    expect(again.body).toBeNull();
  });
});

describe('a document', () => {
  test('that is asked for by its hash may be kept for ever', async () => {
    const get = openPages();
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

  test('that is asked for without a hash has to be asked for again', async () => {
    const { status, header } = await openPages()('/openapi/v3/apis/apps/v1');
    expect(status).toBe(200);
    expect(header.get('cache-control')).toBe('no-cache, private');
    expect(header.has('expires')).toBe(false);
    expect(header.get('etag')).toMatch(/^"[0-9A-F]{128}"$/);
  });

  test('that has changed since is to be found at its new address', async () => {
    const get = openPages();
    const { status, header, body } = await get('/openapi/v3/apis/apps/v1?hash=OLD');
    expect(status).toBe(301);
    expect(header.get('location')).toBe(await addressOf(get, 'apis/apps/v1'));
    expect(body).toBeNull();
  });

  test('is not sent again to who names its tag, strong or weak, or any', async () => {
    const get = openPages();
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
    const get = openPages();
    const json = await get('/openapi/v3/api/v1');
    const protobuf = await get('/openapi/v3/api/v1', { accept: PROTOBUF_V3 });
    expect(protobuf.header.get('content-type')).toBe(
      'application/com.github.proto-openapi.spec.v3.v1.0+protobuf',
    );
    expect(protobuf.header.get('etag')).toBe(json.header.get('etag'));
    expect(protobuf.body).toBeInstanceOf(Uint8Array);
  });

  test('that is not there is not found, without a word', async () => {
    const { status, body } = await openPages()('/openapi/v3/apis/nobody/v1');
    expect(status).toBe(404);
    expect(body).toBeNull();
  });

  test('that is wanted in another form cannot be had', async () => {
    const get = openPages();
    const accept = 'text/html';
    expect((await get('/openapi/v3/api/v1', { accept })).status).toBe(406);
    expect((await get('/openapi/v3/api/v1?hash=OLD', { accept })).status).toBe(406);
    expect((await get('/openapi/v2', { accept })).status).toBe(406);
  });
});

describe('version 2', () => {
  test('is what kubectl asks for, as protobuf, to check a list', async () => {
    const { status, header, body } = await openPages()('/openapi/v2', { accept: PROTOBUF_V2 });
    expect(status).toBe(200);
    expect(header.get('content-type')).toBe(
      'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
    );
    expect(Buffer.from(body as Uint8Array).toString('utf8')).toContain(
      'io.k8s.api.core.v1.ConfigMap',
    );
  });

  test('is JSON for everybody else', async () => {
    const { body } = await openPages()('/openapi/v2');
    const document = JSON.parse(textOf(body)) as Record<string, unknown>;
    expect(document['swagger']).toBe('2.0');
    expect(document['definitions']).toHaveProperty(['io.k8s.api.apps.v1.Deployment']);
  });
});

function textOf(body: ApiResponse['body']): string {
  return typeof body === 'string' ? body : '';
}

test('other paths are for others', () => {
  const page = openApiPages({ catalog: new Catalog([]), clock: new VirtualClock() });
  for (const path of ['/openapi', '/openapi/v3beta', '/openapi/v2/', '/version']) {
    const url = new URL(path, 'http://podkeep');
    const request = { method: 'GET', url: url.href, headers: new Headers(), body: null };
    expect(page(request, url)).toBeNull();
  }
});

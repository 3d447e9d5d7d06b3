import { describe, expect, test } from 'vitest';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { Catalog } from '../registry/catalog.ts';
import type { KindDefinition } from '../objects/kind.ts';
import { configMaps } from '../kinds/core/config-map.ts';
import { deployments } from '../kinds/apps/deployment.ts';
import { jobs } from '../kinds/batch/job.ts';
import { pods } from '../kinds/core/pods.ts';
import { Documents } from './documents.ts';

const KINDS = [configMaps, pods, deployments, jobs];

const cronTabs: KindDefinition = {
  group: 'stable.example.com',
  version: 'v1',
  kind: 'CronTab',
  resource: 'crontabs',
  singular: 'crontab',
  namespaced: true,
  openApiSchema: { type: 'object', properties: { spec: { type: 'object' } } },
  rules: {},
  columns: [],
};

function read(documents: Documents, name: string): JsonObject {
  return JSON.parse(documents.find(name)?.json ?? '{}') as JsonObject;
}

describe('the documents of a server', () => {
  test('are one for each version, one for each group, and those of discovery', () => {
    const documents = new Documents(new Catalog(KINDS));
    expect([...documents.all().keys()]).toEqual([
      'api',
      'api/v1',
      'apis',
      'apis/apps',
      'apis/apps/v1',
      'apis/batch',
      'apis/batch/v1',
      'version',
    ]);
  });

  test('do not exist for a version that is not served', () => {
    const documents = new Documents(new Catalog(KINDS));
    expect(documents.find('apis/apps/v2')).toBeUndefined();
    expect(documents.find('__proto__')).toBeUndefined();
  });

  test('define everything that they refer to', () => {
    const documents = new Documents(new Catalog([...KINDS, cronTabs]));
    for (const [name, document] of documents.all()) {
      expect(danglingIn(JSON.parse(document.json) as JsonObject), name).toEqual([]);
    }
    expect(danglingIn(JSON.parse(documents.everything().json) as JsonObject)).toEqual([]);
  });

  test('never have two operations with the same ID', () => {
    const documents = new Documents(new Catalog([...KINDS, cronTabs]));
    const ids = documents.everything().json.match(/"operationId":"\w+"/g) ?? [];
    expect(ids.length).toBeGreaterThan(80);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('have parameters of all operations of a path once, at the path', () => {
    const document = read(new Documents(new Catalog(KINDS)), 'api/v1');
    const path = ['paths', '/api/v1/namespaces/{namespace}/pods/{name}'];
    expect(document).toHaveProperty(
      [...path, 'parameters'],
      ['name', 'namespace', 'pretty'].map((name): unknown => expect.objectContaining({ name })),
    );
    expect(document).toHaveProperty([...path, 'get']);
    expect(document).not.toHaveProperty([...path, 'get', 'parameters']);
  });

  test('define the events of a watch, although no path refers to them', () => {
    const document = read(new Documents(new Catalog(KINDS)), 'api/v1');
    expect(document).toHaveProperty([
      'components',
      'schemas',
      'io.k8s.apimachinery.pkg.apis.meta.v1.WatchEvent',
    ]);
  });
});

describe('a new custom kind', () => {
  test('has its own document, and leaves the others as they are', () => {
    const catalog = new Catalog(KINDS);
    const documents = new Documents(catalog);
    const before = documents.find('api/v1');
    expect(documents.find('apis/stable.example.com/v1')).toBeUndefined();
    catalog.add(cronTabs);
    expect(read(documents, 'apis/stable.example.com/v1')).toHaveProperty([
      'paths',
      '/apis/stable.example.com/v1/namespaces/{namespace}/crontabs/{name}',
    ]);
    expect(documents.find('api/v1')).toBe(before);
  });

  test('is in the document of version 2 as well', () => {
    const catalog = new Catalog(KINDS);
    const documents = new Documents(catalog);
    const before = documents.everything();
    expect(before.json).not.toContain('CronTab');
    expect(documents.everything()).toBe(before);
    catalog.add(cronTabs);
    expect(documents.everything().json).toContain('com.example.stable.v1.CronTab');
  });

  test('changes its document and the tag when its schema changes', () => {
    const catalog = new Catalog([...KINDS, cronTabs]);
    const documents = new Documents(catalog);
    const tag = documents.find('apis/stable.example.com/v1')?.tag;
    catalog.add({ ...cronTabs, openApiSchema: { type: 'object' } });
    expect(documents.find('apis/stable.example.com/v1')?.tag).not.toBe(tag);
  });

  test('has no strategic patch: the server would not know how to merge', () => {
    const { paths } = read(new Documents(new Catalog([cronTabs])), 'apis/stable.example.com/v1');
    expect(JSON.stringify(paths)).toContain('application/merge-patch+json');
    expect(JSON.stringify(paths)).not.toContain('strategic');
  });
});

/** References to nothing. */
function danglingIn(document: JsonObject): readonly string[] {
  return referencesIn(document).filter((reference) => {
    let found: Json | undefined = document;
    for (const word of reference.split('/').slice(1)) {
      found = isJsonObject(found) ? found[word] : undefined;
    }
    return found === undefined;
  });
}

function referencesIn(value: Json): readonly string[] {
  if (Array.isArray(value)) return (value as readonly Json[]).flatMap(referencesIn);
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, one]) =>
    key === '$ref' && typeof one === 'string' ? [one] : referencesIn(one),
  );
}

/** The OpenAPI documents of every kind that the server serves. */
import { describe, expect, test } from 'vitest';
import { ApiServer } from '../../src/apiserver/http/api-server.ts';
import type { KindDefinition } from '../../src/apiserver/objects/kind.ts';
import { builtInKinds } from '../../src/apiserver/kinds/built-in-kinds.ts';
import { openApiHandlers } from '../../src/apiserver/openapi/openapi-handlers.ts';
import { openMemoryStore } from '../../src/apiserver/store/memory-store.ts';
import { seededRandom } from '../../src/platform/seeded-random.ts';
import { silentLog } from '../support/silent-ports.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

function openServer(): ApiServer {
  const clock = new VirtualClock();
  return new ApiServer({
    store: openMemoryStore({ clock, log: silentLog }),
    clock,
    random: seededRandom(1),
    log: silentLog,
    kinds: builtInKinds,
    version: { major: '1', minor: '36' },
    handlers: (parts) => [openApiHandlers(parts)],
  });
}

async function getJson<Shape>(server: ApiServer, path: string): Promise<Shape> {
  const response = await server.fetch(new Request(`http://podkeep${path}`));
  expect(response.status).toBe(200);
  return (await response.json()) as Shape;
}

interface Index {
  readonly paths: Readonly<Record<string, { readonly serverRelativeURL: string }>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Definition>> };
}

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly 'x-kubernetes-group-version-kind'?: object;
}

interface Definition {
  readonly 'x-kubernetes-group-version-kind'?: readonly object[];
}

async function documentOf(server: ApiServer, kind: KindDefinition): Promise<Document> {
  const { group, version } = kind;
  const { paths } = await getJson<Index>(server, '/openapi/v3');
  const name = group === '' ? `api/${version}` : `apis/${group}/${version}`;
  return getJson<Document>(server, paths[name]?.serverRelativeURL ?? `/openapi/v3/${name}`);
}

describe('every built-in kind', () => {
  const server = openServer();

  test('has a definition that is found by its group, version and kind', async () => {
    for (const definition of builtInKinds) {
      const { group, version, kind } = definition;
      const { components } = await documentOf(server, definition);
      const named = Object.values(components.schemas).flatMap(
        (schema) => schema['x-kubernetes-group-version-kind'] ?? [],
      );
      expect(named).toContainEqual({ group, version, kind });
    }
  });

  test('that can be patched declares fieldValidation, which kubectl looks for', async () => {
    const patched = builtInKinds.filter(({ verbs }) => verbs?.includes('patch') ?? true);
    expect(patched.length).toBeGreaterThan(40);
    for (const definition of patched) {
      const { group, version, kind } = definition;
      const { paths } = await documentOf(server, definition);
      const operation = Object.values(paths)
        .map(({ patch }) => patch)
        .find((patch) => isOfKind(patch, { group, version, kind }));
      expect(operation?.parameters, kind).toContainEqual(
        expect.objectContaining({ name: 'fieldValidation', in: 'query' }),
      );
    }
  });
});

function isOfKind(
  operation: Operation | undefined,
  kind: Readonly<Record<string, string>>,
): boolean {
  const { group, version, kind: name } = kind;
  const wanted = JSON.stringify({ group, kind: name, version });
  return JSON.stringify(operation?.['x-kubernetes-group-version-kind']) === wanted;
}

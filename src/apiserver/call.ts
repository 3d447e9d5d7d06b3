/** A request to a resource, read as far as its path, query and headers go, and what is answered. */
import { parseFieldSelector, type FieldSelector } from '../api/field-selector.ts';
import { PodkeepError } from '../lib/errors.ts';
import type { JsonObject } from '../lib/json.ts';
import type { ApiRequest } from '../ports/http-handler.ts';
import type { ResourceAttributes, User } from './access.ts';
import type { KindDefinition, Subresource, Verb } from './kind.ts';
import type { AnswerForm } from './negotiation.ts';
import type { Presenter } from './presentation.ts';
import type { Target } from './registry.ts';
import type { ResourceRequest } from './request-info.ts';
import { badRequest, methodNotAllowed } from './status.ts';
import type { EventReader } from './watch/event-reader.ts';

export interface Call {
  readonly request: ApiRequest;
  readonly query: URLSearchParams;
  readonly user: User;
  readonly definition: KindDefinition;
  readonly path: ResourceRequest;
  /** The part of the object that the path names; undefined: the object itself. */
  readonly part: Subresource | undefined;
  readonly form: AnswerForm;
  readonly presenter: Presenter;
  /** Called when a watch has ended. */
  readonly onEnd?: () => void;
  /** Sentences for the Warning header. */
  readonly warnings: string[];
}

export interface Answer {
  readonly code: number;
  readonly body: JsonObject | ReadableStream<Uint8Array> | EventReader;
}

export function targetOf({ definition, path }: Call): Target {
  return { definition, namespace: path.namespace ?? '', name: path.name ?? '' };
}

/** The verb that the authorizer is asked about; whether it is served at the path is for route.ts. */
export function verbOf(method: string, path: ResourceRequest, query: URLSearchParams): Verb {
  const { name } = path;
  switch (method) {
    case 'GET':
    case 'HEAD':
      if (name !== null) return 'get';
      return ['1', 'true'].includes(query.get('watch') ?? '') ? 'watch' : 'list';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return name === null ? 'deletecollection' : 'delete';
  }
  throw methodNotAllowed();
}

/** What has to be allowed. A namespace is in itself; a selector for one name is as good as the name. */
export function attributesOf(
  verb: string,
  path: ResourceRequest,
  query = new URLSearchParams(),
): ResourceAttributes {
  const { group, version, resource } = path;
  const isNamespace = group === '' && resource === 'namespaces' && path.namespace === null;
  const fieldSelector = MANY.has(verb) ? fieldSelectorOf(query) : [];
  const selected = fieldSelector.find(
    (one) => one.field === 'metadata.name' && one.operator === '=',
  );
  const name = path.name ?? selected?.value ?? '';
  const namespace = isNamespace ? (path.name ?? '') : (path.namespace ?? '');
  const subresource = path.subresource ?? '';
  const attributes = { verb, group, version, resource, subresource, namespace, name };
  return fieldSelector.length === 0 ? attributes : { ...attributes, fieldSelector };
}

const MANY: ReadonlySet<string> = new Set(['list', 'watch', 'deletecollection']);

/** One that cannot be read is no selector here; the verb itself will refuse it. */
function fieldSelectorOf(query: URLSearchParams): FieldSelector {
  try {
    return parseFieldSelector(query.get('fieldSelector') ?? '');
  } catch (error) {
    if (error instanceof PodkeepError) return [];
    throw error;
  }
}

/** Names that would walk through the store instead of naming something in it. */
export function checkPathName(name: string | null): void {
  if (name === null) return;
  const complaint =
    name === '.' || name === '..'
      ? `may not be '${name}'`
      : name.includes('/')
        ? "may not contain '/'"
        : name.includes('%')
          ? "may not contain '%'"
          : null;
  if (complaint) throw badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${complaint}`);
}

/** A request to a resource, parsed from its path, query and headers, and its response. */
import { parseFieldSelector, type FieldSelector } from '../../api/values/field-selector.ts';
import { PodkeepError } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { ApiRequest } from '../../ports/api/http-handler.ts';
import type { Turn } from '../../ports/clock.ts';
import type { ResourceAttributes, User } from '../objects/access.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import type { KindDefinition, Subresource, Verb } from '../objects/kind.ts';
import type { AnswerForm } from '../requests/negotiation.ts';
import type { Presenter } from './presentation.ts';
import type { Target } from './registry.ts';
import type { ResourceRequest } from '../requests/request-info.ts';
import { badRequest, methodNotAllowed } from '../objects/status.ts';
import type { EventReader } from '../flow/event-reader.ts';

export interface Call {
  readonly request: ApiRequest;
  readonly query: URLSearchParams;
  readonly user: User;
  readonly definition: KindDefinition;
  readonly path: ResourceRequest;
  /** The subresource that the path names. Undefined: the object itself. */
  readonly part: Subresource | undefined;
  readonly form: AnswerForm;
  readonly presenter: Presenter;
  /** Absent: the request is not audited. */
  readonly trail?: AuditTrail;
  /** Called between two steps of a request that computes for long. */
  readonly turn: Turn;
  /** Called when a watch has ended. */
  readonly onEnd?: () => void;
  /** The texts of Warning headers. */
  readonly warnings: string[];
}

export interface Answer {
  readonly code: number;
  readonly body: JsonObject | ReadableStream<Uint8Array> | EventReader;
}

export function targetOf({ definition, path }: Call): Target {
  return { definition, namespace: path.namespace ?? '', name: path.name ?? '' };
}

/** The verb for authorization; route.ts decides whether the path serves it. */
export function verbOf(method: string, path: ResourceRequest, query: URLSearchParams): Verb {
  const { name, isWatch = false } = path;
  if (isWatch && method !== 'GET') throw methodNotAllowed();
  switch (method) {
    case 'GET':
    case 'HEAD':
      if (isWatch) return 'watch';
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

/**
 * The attributes for authorization. A Namespace object counts as in its own namespace; a field selector for
 * one name counts as the name.
 */
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

/** An invalid selector counts as none here; the verb itself refuses it. */
function fieldSelectorOf(query: URLSearchParams): FieldSelector {
  try {
    return parseFieldSelector(query.get('fieldSelector') ?? '');
  } catch (error) {
    if (error instanceof PodkeepError) return [];
    throw error;
  }
}

/** Refuses names that the store would read as paths. */
export function checkPathName(name: string | null): void {
  if (name === null) return;
  const problem =
    name === '.' || name === '..'
      ? `may not be '${name}'`
      : name.includes('/')
        ? "may not contain '/'"
        : name.includes('%')
          ? "may not contain '%'"
          : null;
  if (problem) throw badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${problem}`);
}

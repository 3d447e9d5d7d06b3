/**
 * Routes the read-only query API /podkeep/v1 (docs/query-api.md). Each route reads its parameters and calls
 * NodeQuery (src/kubelet/query/node-query.ts); with `?watch` the answer is a stream of events.
 */
import { escapeFieldValue } from '../../api/values/field-selector.ts';
import type { NodeQuery } from '../../kubelet/query/node-query.ts';
import type { QueryWatch } from '../../kubelet/query/query-watch.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { ApiResponse } from '../../ports/api/http-handler.ts';
import type { Clock } from '../../ports/clock.ts';
import {
  routed,
  type Area,
  type HandlerRequest,
  type PathParameters,
  type Route,
} from '../routing.ts';
import { eventStream } from './event-stream.ts';
import { openApiDocument } from './openapi-document.ts';
import { queryAnswer, queryFailure } from './query-answers.ts';
import {
  isWatch,
  readLimit,
  readParameters,
  type QueryParameterName,
  type QueryParameters,
} from './query-parameters.ts';

export interface QueryAreaOptions {
  readonly clock: Clock;
  readonly query: NodeQuery;
  /** podkeep's version. */
  readonly version: string;
}

export const QUERY_ROOT = '/podkeep/v1';

interface Call {
  readonly path: PathParameters;
  readonly parameters: QueryParameters;
  readonly lastEventId: string | undefined;
}

interface Endpoint {
  readonly pattern: string;
  readonly allowed: readonly QueryParameterName[];
  readonly read: (call: Call) => JsonObject | Promise<JsonObject>;
  /** Absent: the path cannot be watched. */
  readonly watch?: (call: Call) => QueryWatch;
}

const WATCH: readonly QueryParameterName[] = ['watch', 'lastEventId'];
const SELECTORS: readonly QueryParameterName[] = ['labelSelector', 'fieldSelector'];

export function queryArea(options: QueryAreaOptions): Area {
  const endpoints = [...podEndpoints(options.query), ...nodeEndpoints(options)];
  const routes = endpoints.map((endpoint) => routeOf(endpoint, options.clock));
  return { root: QUERY_ROOT, answer: routed(QUERY_ROOT, routes) };
}

function podEndpoints(query: NodeQuery): readonly Endpoint[] {
  return [
    {
      pattern: 'pods',
      allowed: [...WATCH, ...SELECTORS],
      read: ({ parameters }) => query.pods(selectorsOf(parameters)),
      watch: ({ parameters, lastEventId }) =>
        query.watchPods({ ...selectorsOf(parameters), lastEventId }),
    },
    {
      pattern: 'pods/:namespace/:name',
      allowed: WATCH,
      read: ({ path }) => query.pod(nameIn(path)),
      watch: ({ path, lastEventId }) => {
        const { namespace, name } = nameIn(path);
        const fieldSelector = `metadata.namespace=${escapeFieldValue(namespace)},metadata.name=${escapeFieldValue(name)}`;
        return query.watchPods({ fieldSelector, lastEventId });
      },
    },
    {
      pattern: 'pods/:namespace/:name/timeline',
      allowed: [...WATCH, 'since'],
      read: ({ path, parameters }) =>
        query.timeline(nameIn(path), { since: parameters.get('since') }),
      watch: ({ path, parameters, lastEventId }) =>
        query.watchTimeline(nameIn(path), { since: parameters.get('since'), lastEventId }),
    },
    {
      pattern: 'decisions',
      allowed: [...WATCH, 'fieldSelector', 'since', 'limit'],
      read: ({ parameters }) => query.decisions(decisionFilterOf(parameters)),
      watch: ({ parameters, lastEventId }) =>
        query.watchDecisions({ ...decisionFilterOf(parameters), lastEventId }),
    },
  ];
}

function nodeEndpoints({ query, version }: QueryAreaOptions): readonly Endpoint[] {
  return [
    { pattern: 'node', allowed: [], read: () => query.node() },
    {
      pattern: 'resources',
      allowed: SELECTORS,
      read: ({ parameters }) => query.resources(selectorsOf(parameters)),
    },
    {
      pattern: 'resources/history',
      allowed: SELECTORS,
      read: ({ parameters }) => query.resourceHistory(selectorsOf(parameters)),
    },
    {
      pattern: 'alerts',
      allowed: WATCH,
      read: () => query.alerts(),
      watch: ({ lastEventId }) => query.watchAlerts({ lastEventId }),
    },
    { pattern: 'openapi.json', allowed: [], read: () => openApiDocument(version) },
  ];
}

function routeOf({ pattern, allowed, read, watch }: Endpoint, clock: Clock): Route {
  const answer = async (
    { query: search, request }: HandlerRequest,
    path: PathParameters,
  ): Promise<ApiResponse> => {
    try {
      const parameters = readParameters(search, allowed);
      const header = request.headers.get('last-event-id') ?? undefined;
      const call = { path, parameters, lastEventId: header ?? parameters.get('lastEventId') };
      if (watch && isWatch(parameters)) return eventStream(watch(call), clock);
      return queryAnswer(await read(call));
    } catch (error) {
      return queryFailure(error);
    }
  };
  return { methods: ['GET'], pattern, answer };
}

function selectorsOf(parameters: QueryParameters) {
  return {
    labelSelector: parameters.get('labelSelector'),
    fieldSelector: parameters.get('fieldSelector'),
  };
}

function decisionFilterOf(parameters: QueryParameters) {
  return {
    fieldSelector: parameters.get('fieldSelector'),
    since: parameters.get('since'),
    limit: readLimit(parameters),
  };
}

function nameIn(path: PathParameters) {
  return { namespace: path.get('namespace') ?? '', name: path.get('name') ?? '' };
}

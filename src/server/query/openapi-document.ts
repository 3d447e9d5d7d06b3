/** Builds the OpenAPI document (3.0) of the query API. A test checks real answers against it. */
import { DECISION_FIELD_NAMES, POD_FIELD_NAMES } from '../../kubelet/query/query-filter.ts';
import type { JsonObject } from '../../lib/json.ts';
import { SCHEMAS } from './openapi-schemas.ts';

const NAME_PARAMETERS = ['namespace', 'name'].map((name) => ({
  name,
  in: 'path',
  required: true,
  schema: { type: 'string' },
}));

const LABELS = parameter('labelSelector', 'Such as app=web,tier!=cache.');
const POD_FIELDS = parameter('fieldSelector', `Fields: ${POD_FIELD_NAMES.join(', ')}.`);
const DECISION_FIELDS = parameter('fieldSelector', `Fields: ${DECISION_FIELD_NAMES.join(', ')}.`);
const SINCE = parameter('since', 'RFC 3339: only decisions at this time or later.');
const LIMIT = parameter('limit', 'The newest ones only; by default 1,000.');
const WATCH: readonly JsonObject[] = [
  {
    name: 'watch',
    in: 'query',
    allowEmptyValue: true,
    description: 'The state, then every change, as server-sent events.',
    schema: { type: 'string', enum: ['', 'true', '1', 'false', '0'] },
  },
  parameter('lastEventId', 'The same as the header Last-Event-ID, which takes precedence.'),
  {
    name: 'Last-Event-ID',
    in: 'header',
    description: 'The ID of the last event that the client has: the watch resumes there.',
    schema: { type: 'string' },
  },
];

export function openApiDocument(version: string): JsonObject {
  return {
    openapi: '3.0.3',
    info: {
      title: 'podkeep query API',
      version,
      description: 'What a podkeep node knows: read-only JSON, and changes as server-sent events.',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    // The empty entry stands for client certificates, which OpenAPI 3.0 cannot express.
    security: [{ token: [] }, {}],
    paths: paths(),
    components: {
      schemas: SCHEMAS,
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
  };
}

function paths(): JsonObject {
  const pod = '/podkeep/v1/pods/{namespace}/{name}';
  return {
    '/podkeep/v1/pods': get('listPods', 'The pods of this node', 'PodList', [
      LABELS,
      POD_FIELDS,
      ...WATCH,
    ]),
    [pod]: get('readPod', 'One pod', 'Pod', [...NAME_PARAMETERS, ...WATCH]),
    [`${pod}/timeline`]: get('readTimeline', 'The decisions about one pod', 'PodTimeline', [
      ...NAME_PARAMETERS,
      SINCE,
      ...WATCH,
    ]),
    '/podkeep/v1/decisions': get('listDecisions', 'The newest decisions', 'DecisionList', [
      DECISION_FIELDS,
      SINCE,
      LIMIT,
      ...WATCH,
    ]),
    '/podkeep/v1/node': get('readNode', 'The node', 'NodeReport', []),
    '/podkeep/v1/resources': get('readResources', 'What node and pods use', 'ResourceUsage', [
      LABELS,
      POD_FIELDS,
    ]),
    '/podkeep/v1/resources/history': get(
      'readResourceHistory',
      'What node and pods used in the last hour',
      'ResourceHistory',
      [LABELS, POD_FIELDS],
    ),
    '/podkeep/v1/alerts': get('listAlerts', 'Pending, firing and resolved alerts', 'AlertList', [
      ...WATCH,
    ]),
  };
}

function get(
  operationId: string,
  summary: string,
  schema: string,
  parameters: readonly JsonObject[],
): JsonObject {
  const isWatchable = parameters.some(({ name }) => name === 'watch');
  const events = { 'text/event-stream': { schema: { type: 'string' } } };
  return {
    get: {
      operationId,
      summary,
      parameters,
      responses: {
        '200': {
          description: summary,
          content: { ...jsonContent(schema), ...(isWatchable && events) },
        },
        '400': refusal('A parameter is invalid or unknown.'),
        '401': { description: 'The client is not authenticated.' },
        '403': { description: 'The client may not read this.' },
        '404': refusal('There is no such pod on this node, or nothing is evaluated.'),
        '421': refusal('The Host of the request is not a name of this node.'),
        ...(isWatchable && { '429': refusal('Too many clients watch; see Retry-After.') }),
      },
    },
  };
}

function refusal(description: string): JsonObject {
  return { description, content: jsonContent('Status') };
}

function jsonContent(schema: string): JsonObject {
  return { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } };
}

function parameter(name: string, description: string): JsonObject {
  return { name, in: 'query', description, schema: { type: 'string' } };
}

/**
 * The path by which `podkeep node` talks to a running podkeep, served by its API server:
 *
 *     GET    /podkeep/v1/nodes          the nodes of this process
 *     POST   /podkeep/v1/nodes          adds one; the body may have a name
 *     DELETE /podkeep/v1/nodes/NAME     removes one that is drained
 *
 * The API server has authenticated the client, and authorized the verb for the path (RBAC: nonResourceURLs).
 * Only administrators have that right, unless a role gives it to others.
 */
import { readBytes } from '../../../apiserver/requests/body.ts';
import type { PathHandler } from '../../../apiserver/requests/path-handler.ts';
import { badRequest, StatusError } from '../../../apiserver/objects/status.ts';
import { PodkeepError } from '../../../lib/errors.ts';
import { isJsonObject, type JsonObject } from '../../../lib/json.ts';
import type { ApiRequest, ApiResponse } from '../../../ports/api/http-handler.ts';
import { LOCAL_NODES_PATH } from './local-nodes-path.ts';
import type { LocalNodes } from './local-nodes.ts';

/** What the client may do about it; other errors are podkeep's. */
const CODES: Readonly<Record<string, readonly [code: number, reason: string]>> = {
  NODE_NAME_INVALID: [422, 'Invalid'],
  NODE_NAME_TAKEN: [409, 'AlreadyExists'],
  NODE_UNKNOWN: [404, 'NotFound'],
  NODE_HAS_VOLUMES: [409, 'Conflict'],
  NODE_NOT_DRAINED: [409, 'Conflict'],
  LAST_NODE: [409, 'Conflict'],
  NODES_TOO_MANY: [409, 'Conflict'],
  NODES_SHARE_RUNTIME: [409, 'Conflict'],
  NODES_CLOSING: [503, 'ServiceUnavailable'],
};

export function nodesHandler(nodes: Pick<LocalNodes, 'names' | 'add' | 'remove'>): PathHandler {
  return (request, { pathname }) => {
    if (pathname === LOCAL_NODES_PATH) return answering(() => answerAll(nodes, request));
    if (!pathname.startsWith(`${LOCAL_NODES_PATH}/`)) return null;
    const name = pathname.slice(LOCAL_NODES_PATH.length + 1);
    return answering(async () => {
      if (request.method !== 'DELETE') throw wrongMethod();
      await nodes.remove(name);
      return { code: 200, body: { name } };
    });
  };
}

interface Answered {
  readonly code: number;
  readonly body: JsonObject;
}

async function answerAll(
  nodes: Pick<LocalNodes, 'names' | 'add'>,
  request: ApiRequest,
): Promise<Answered> {
  if (request.method === 'GET') {
    const items = nodes.names.map((name) => ({ name }));
    return { code: 200, body: { kind: 'LocalNodeList', apiVersion: 'podkeep/v1', items } };
  }
  if (request.method !== 'POST') throw wrongMethod();
  return { code: 201, body: { name: await nodes.add(await nameIn(request)) } };
}

/** Undefined: podkeep chooses one. */
async function nameIn(request: ApiRequest): Promise<string | undefined> {
  const text = Buffer.from(await readBytes(request)).toString();
  if (text === '') return undefined;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw badRequest('the body is not JSON');
  }
  if (!isJsonObject(body)) throw badRequest('the body is not an object');
  const { name, ...rest } = body;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw badRequest(`unknown field ${JSON.stringify(unknown)}`);
  if (name !== undefined && typeof name !== 'string') throw badRequest('name must be a string');
  return name;
}

async function answering(work: () => Promise<Answered>): Promise<ApiResponse> {
  try {
    const { code, body } = await work();
    return jsonAnswer(code, body);
  } catch (error) {
    if (error instanceof StatusError) throw error;
    if (!(error instanceof PodkeepError)) throw error;
    const [code, reason] = CODES[error.code] ?? [500, 'InternalError'];
    throw new StatusError(code, reason, `${error.message}. ${error.hint}`);
  }
}

function wrongMethod(): StatusError {
  return new StatusError(405, 'MethodNotAllowed', 'this path has no such method');
}

function jsonAnswer(status: number, body: JsonObject): ApiResponse {
  return {
    status,
    headers: [['content-type', 'application/json']],
    body: `${JSON.stringify(body)}\n`,
  };
}

/**
 * Tries once to register the node: creates its Node object, or corrects an existing one.
 *
 *     POST ──> created
 *       └─ it exists, or creating it is forbidden ──> GET ──> PATCH, if the Node needs a correction
 */
import { reconciledNode } from '../../core/node/node-object.ts';
import { nodePatch } from '../../core/node/status-report.ts';
import type { JsonObject } from '../../lib/json.ts';
import { hasCode, type Send } from './heartbeat-api.ts';

export const NODES_PATH = '/api/v1/nodes';

export interface Registered {
  readonly node: JsonObject;
  /** It did not exist before. */
  readonly isNew: boolean;
}

export async function registerNode(
  send: Send,
  nodeName: string,
  fresh: JsonObject,
): Promise<Registered> {
  try {
    return { node: await send({ method: 'POST', path: NODES_PATH, body: fresh }), isNew: true };
  } catch (error) {
    const mayExist = hasCode(error, 409) || hasCode(error, 403);
    if (!mayExist) throw error;
    const existing = await existingOr(send, nodeName, error);
    const right = reconciledNode(existing, fresh);
    if (right === existing) return { node: existing, isNew: false };
    return { node: await patchNode(send, nodeName, nodePatch(existing, right)), isNew: false };
  }
}

export function readNode(send: Send, nodeName: string): Promise<JsonObject> {
  return send({ method: 'GET', path: `${NODES_PATH}/${nodeName}` });
}

export function patchNode(send: Send, nodeName: string, body: JsonObject): Promise<JsonObject> {
  return send({
    method: 'PATCH',
    path: `${NODES_PATH}/${nodeName}/status`,
    body,
    contentType: 'application/strategic-merge-patch+json',
  });
}

/** If the Node does not exist either, the error of the POST is thrown: it says more than the 404. */
async function existingOr(send: Send, nodeName: string, refusal: unknown): Promise<JsonObject> {
  try {
    return await readNode(send, nodeName);
  } catch (error) {
    throw hasCode(error, 404) ? refusal : error;
  }
}

/** Converts a kubelet's error responses to log requests into API errors. */
import type { ApiResponse } from '../../ports/api/http-handler.ts';
import { badRequest, internalError, resourceUnknown, StatusError } from '../objects/status.ts';

const MESSAGE_BYTES_MAX = 50_000;

/** Returns the response if it is a log; throws a StatusError if it is not. */
export async function checkLogResponse(
  response: ApiResponse,
  podName: string,
): Promise<ApiResponse> {
  const { status } = response;
  if (status >= 200 && status <= 206) return response;
  const text = await readText(response.body);
  if (status === 500) throw internalError(text);
  if (status === 400) throw badRequest(text);
  const about = ` ( pods/log ${podName})`;
  const details = { name: podName, kind: 'pods/log' };
  if (status === 404) {
    throw new StatusError(404, 'NotFound', `${resourceUnknown().message}${about}`, details);
  }
  const message =
    status > 500
      ? `an error on the server (${JSON.stringify(text)}) has prevented the request from succeeding`
      : `the server responded with the status code ${status} but did not return more information`;
  throw new StatusError(status, status > 500 ? 'InternalError' : '', message + about, details);
}

async function readText(body: ApiResponse['body']): Promise<string> {
  if (body === null) return '';
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes >= MESSAGE_BYTES_MAX) break; // leaving the loop cancels the stream
  }
  return Buffer.concat(chunks).toString('utf8', 0, MESSAGE_BYTES_MAX);
}

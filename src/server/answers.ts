/** Builds HTTP responses of the kubelet server, with the headers that Kubernetes' kubelet sends. */
import type { ApiResponse } from '../ports/api/http-handler.ts';
import type { Json } from '../lib/json.ts';

const PLAIN = 'text/plain; charset=utf-8';

export function text(status: number, body: string): ApiResponse {
  return { status, headers: [['content-type', PLAIN]], body };
}

/** An error as Go's http.Error writes it, with the header that forbids browsers to guess the type. */
export function errorText(status: number, message: string): ApiResponse {
  return {
    status,
    headers: [
      ['content-type', PLAIN],
      ['x-content-type-options', 'nosniff'],
    ],
    body: `${message}\n`,
  };
}

/** `body` is JSON text. */
export function jsonText(body: string): ApiResponse {
  return { status: 200, headers: [['content-type', 'application/json']], body };
}

export function json(value: Json): ApiResponse {
  return jsonText(JSON.stringify(value));
}

export const pathNotFound = (): ApiResponse => errorText(404, '404 page not found');
export const routeNotFound = (): ApiResponse => text(404, '404: Page Not Found');

export function methodNotAllowed(allowed: readonly string[]): ApiResponse {
  const { headers, ...rest } = text(405, '405: Method Not Allowed');
  return { ...rest, headers: [...headers, ['allow', allowed.join(', ')]] };
}

/** Removes the client's credentials from the headers that are forwarded to a backend. */
import type { ApiHeaders } from '../../ports/api/http-handler.ts';

const SECRET = /^(?:authorization$|impersonate-)/;

/** Not a `Headers` object, because that would load all of fetch at every start. */
export const NO_HEADERS: ApiHeaders = { get: () => null, *[Symbol.iterator]() {} };

export function withoutSecrets(headers: ApiHeaders): ApiHeaders {
  const kept = [...headers].filter(([name]) => !SECRET.test(name));
  return new Headers(kept.map(([name, value]) => [name, value]));
}

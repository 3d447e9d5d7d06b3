/** The headers that go on to a backend: all but the client's credentials. */
import type { ApiHeaders } from '../../ports/api/http-handler.ts';

const SECRET = /^(?:authorization$|impersonate-)/;

/** Not a `Headers`: that would load all of fetch, at the cost of every start. */
export const NO_HEADERS: ApiHeaders = { get: () => null, *[Symbol.iterator]() {} };

export function withoutSecrets(headers: ApiHeaders): ApiHeaders {
  const kept = [...headers].filter(([name]) => !SECRET.test(name));
  return new Headers(kept.map(([name, value]) => [name, value]));
}

/** The headers that go on to a backend: all but those by which the client has proved who it is. */
import type { ApiHeaders } from '../../ports/http-handler.ts';

const SECRET = /^(?:authorization$|impersonate-)/;

/** Not a `Headers`: to have one is to load the whole of fetch, and every start would pay for it. */
export const NO_HEADERS: ApiHeaders = { get: () => null, *[Symbol.iterator]() {} };

export function withoutSecrets(headers: ApiHeaders): ApiHeaders {
  const kept = [...headers].filter(([name]) => !SECRET.test(name));
  return new Headers(kept.map(([name, value]) => [name, value]));
}

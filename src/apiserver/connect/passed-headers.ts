/** The headers that go on to a backend: all but those by which the client has proved who it is. */
import type { ApiHeaders } from '../../ports/http-handler.ts';

const SECRET = /^(?:authorization$|impersonate-)/;

export const NO_HEADERS: ApiHeaders = new Headers();

export function withoutSecrets(headers: ApiHeaders): ApiHeaders {
  const kept = [...headers].filter(([name]) => !SECRET.test(name));
  return new Headers(kept.map(([name, value]) => [name, value]));
}

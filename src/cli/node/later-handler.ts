/** Whoever stands behind a door, made when the first client comes. */
import type { HttpHandler } from '../../ports/http-handler.ts';

export function handleLater(make: () => Promise<HttpHandler>): HttpHandler {
  let made: Promise<HttpHandler> | undefined;
  const handler = (): Promise<HttpHandler> => (made ??= make());
  return {
    answer: async (request, clientIdentity) => (await handler()).answer(request, clientIdentity),
    connect: async (request, connection, clientIdentity) =>
      (await handler()).connect(request, connection, clientIdentity),
  };
}

/** An HttpHandler that is created at the first request. */
import type { HttpHandler } from '../../../ports/api/http-handler.ts';

export function handleLater(make: () => Promise<HttpHandler>): HttpHandler {
  let made: Promise<HttpHandler> | undefined;
  const handler = (): Promise<HttpHandler> => (made ??= make());
  return {
    answer: async (request, clientIdentity) => (await handler()).answer(request, clientIdentity),
    connect: async (request, connection, clientIdentity) =>
      (await handler()).connect(request, connection, clientIdentity),
  };
}

/** Whoever stands behind a door, made when the first visitor comes. */
import type { HttpHandler } from '../../ports/http-handler.ts';

export function handleLater(make: () => Promise<HttpHandler>): HttpHandler {
  let made: Promise<HttpHandler> | undefined;
  const handler = (): Promise<HttpHandler> => (made ??= make());
  return {
    answer: async (request, visitor) => (await handler()).answer(request, visitor),
    connect: async (request, connection, visitor) =>
      (await handler()).connect(request, connection, visitor),
  };
}

/** A path of the server that is no resource: health, the version, OpenAPI. Null: it is another's. */
export type Page = (request: Request, url: URL) => Response | Promise<Response> | null;

export function textPage(code: number, body: string): Response {
  const headers = { 'content-type': 'text/plain; charset=utf-8' };
  return new Response(body, { status: code, headers });
}

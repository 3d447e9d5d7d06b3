/**
 * Finds the handler of a path. A path without a handler is answered with 404 without authentication. All
 * other requests are authenticated and authorized first, even if the handler then answers 404.
 *
 *     handler one path, every method
 *     area    a path and everything below it, with its own routes
 */
import type { ApiRequest, ApiResponse } from '../ports/api/http-handler.ts';
import { errorText, methodNotAllowed, routeNotFound } from './answers.ts';
import type { RequestPath } from './request-path.ts';

export interface HandlerRequest extends RequestPath {
  readonly request: ApiRequest;
}

export type Handler = (request: HandlerRequest) => ApiResponse | Promise<ApiResponse>;

export interface Area {
  /** Without a trailing slash. */
  readonly root: string;
  /** True: a request without the trailing slash is redirected. */
  readonly isFolder?: boolean;
  readonly answer: Handler;
}

export interface Route {
  readonly methods: readonly string[];
  /** Segments below the root; one that begins with a colon matches any segment, `*` all the rest. */
  readonly pattern: string;
  readonly answer: (
    request: HandlerRequest,
    parameters: PathParameters,
  ) => ApiResponse | Promise<ApiResponse>;
}

export type PathParameters = ReadonlyMap<string, string>;

export type Found =
  | { readonly type: 'page'; readonly answer: Handler }
  | { readonly type: 'moved'; readonly location: string }
  | { readonly type: 'none' };

export class Router {
  readonly #handlers: ReadonlyMap<string, Handler>;
  readonly #areas: readonly Area[];

  constructor(handlers: ReadonlyMap<string, Handler>, areas: readonly Area[]) {
    this.#handlers = handlers;
    this.#areas = areas;
  }

  find(path: string): Found {
    const handler = this.#handlers.get(path);
    if (handler) return { type: 'page', answer: handler };
    const area = this.#areas.find(({ root }) => path === root || path.startsWith(`${root}/`));
    if (!area) return { type: 'none' };
    const { root, isFolder = false, answer } = area;
    return path === root && isFolder
      ? { type: 'moved', location: `${root}/` }
      : { type: 'page', answer };
  }
}

/** Calls the first route that matches path and method. Answers 404 or 405 if there is none. */
export function routed(root: string, routes: readonly Route[]): Handler {
  return (request) => {
    const fitting = routes.flatMap((route) => {
      const parameters = matchPattern(route.pattern, request.path.slice(root.length));
      return parameters ? [{ route, parameters }] : [];
    });
    if (fitting.length === 0) return routeNotFound();
    const { method } = request.request;
    const chosen = fitting.find(({ route }) => route.methods.includes(method));
    if (chosen) return chosen.route.answer(request, chosen.parameters);
    return methodNotAllowed(fitting.flatMap(({ route }) => route.methods));
  };
}

/** The handler of paths that are switched off. */
export function disabled(message: string): Handler {
  return () => errorText(405, message);
}

/** Null: the path does not match. Trailing slashes are ignored. */
export function matchPattern(pattern: string, rest: string): PathParameters | null {
  const wanted = partsOf(pattern);
  const given = partsOf(rest);
  const parameters = new Map<string, string>();
  for (const [index, part] of wanted.entries()) {
    if (part === '*') return parameters.set('*', given.slice(index).join('/'));
    const word = given[index];
    if (word === undefined) return null;
    if (part.startsWith(':')) parameters.set(part.slice(1), word);
    else if (part !== word) return null;
  }
  return given.length === wanted.length ? parameters : null;
}

function partsOf(path: string): readonly string[] {
  return path.split('/').filter((part) => part !== '');
}

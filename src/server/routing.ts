/**
 * Which page answers a path. Nobody's path is answered without asking who comes: there is nothing
 * behind it. Everything else passes the gate first, also if the page then says that it is not there.
 *
 *     page    one path, every method
 *     area    a path and everything below it, with its own routes
 */
import type { ApiRequest, ApiResponse } from '../ports/http-handler.ts';
import { errorText, methodNotAllowed, routeNotFound } from './answers.ts';
import type { RequestPath } from './request-path.ts';

export interface PageRequest extends RequestPath {
  readonly request: ApiRequest;
}

export type Page = (request: PageRequest) => ApiResponse | Promise<ApiResponse>;

export interface Area {
  /** Without a slash at its end. */
  readonly root: string;
  /** It is a folder: who comes without the slash is sent on. */
  readonly isFolder?: boolean;
  readonly answer: Page;
}

export interface Route {
  readonly methods: readonly string[];
  /** Parts below the root; one that begins with a colon takes any word, `*` all the rest. */
  readonly pattern: string;
  readonly answer: (request: PageRequest, words: Words) => ApiResponse | Promise<ApiResponse>;
}

export type Words = ReadonlyMap<string, string>;

export type Found =
  | { readonly type: 'page'; readonly answer: Page }
  | { readonly type: 'moved'; readonly location: string }
  | { readonly type: 'none' };

export class Router {
  readonly #pages: ReadonlyMap<string, Page>;
  readonly #areas: readonly Area[];

  constructor(pages: ReadonlyMap<string, Page>, areas: readonly Area[]) {
    this.#pages = pages;
    this.#areas = areas;
  }

  find(path: string): Found {
    const page = this.#pages.get(path);
    if (page) return { type: 'page', answer: page };
    const area = this.#areas.find(({ root }) => path === root || path.startsWith(`${root}/`));
    if (!area) return { type: 'none' };
    const { root, isFolder = false, answer } = area;
    return path === root && isFolder
      ? { type: 'moved', location: `${root}/` }
      : { type: 'page', answer };
  }
}

/** The first route that fits path and method; 404 and 405 if there is none. */
export function routed(root: string, routes: readonly Route[]): Page {
  return (request) => {
    const fitting = routes.flatMap((route) => {
      const words = matchPattern(route.pattern, request.path.slice(root.length));
      return words ? [{ route, words }] : [];
    });
    if (fitting.length === 0) return routeNotFound();
    const { method } = request.request;
    const chosen = fitting.find(({ route }) => route.methods.includes(method));
    if (chosen) return chosen.route.answer(request, chosen.words);
    return methodNotAllowed(fitting.flatMap(({ route }) => route.methods));
  };
}

/** For what is switched off. */
export function disabled(message: string): Page {
  return () => errorText(405, message);
}

/** Null: it does not fit. Slashes at the end do not count. */
export function matchPattern(pattern: string, rest: string): Words | null {
  const wanted = partsOf(pattern);
  const given = partsOf(rest);
  const words = new Map<string, string>();
  for (const [index, part] of wanted.entries()) {
    if (part === '*') return words.set('*', given.slice(index).join('/'));
    const word = given[index];
    if (word === undefined) return null;
    if (part.startsWith(':')) words.set(part.slice(1), word);
    else if (part !== word) return null;
  }
  return given.length === wanted.length ? words : null;
}

function partsOf(path: string): readonly string[] {
  return path.split('/').filter((part) => part !== '');
}

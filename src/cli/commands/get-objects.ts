/** `podkeep get`: prints objects as the server's tables, or whole. */
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { statusToError } from '../../client/api-status.ts';
import { defineError } from '../../lib/errors.ts';
import type { Io } from '../io.ts';
import { openSession, type ApiSession, type SessionOptions } from './api-session.ts';
import {
  findKinds,
  nameOfKind,
  objectsIn,
  pathOfKind,
  textOf,
  type ServedKind,
} from './kind-lookup.ts';
import { listOf, printObject } from './object-printer.ts';
import { visibleText } from '../terminal-text.ts';
import { TablePrinter } from './table-printer.ts';

export interface GetOptions extends SessionOptions {
  readonly allNamespaces: boolean;
  readonly selector?: string;
  readonly output: 'table' | 'wide' | 'json' | 'yaml' | 'name';
  readonly headers: boolean;
  readonly watch: boolean;
}

/** One request: for all objects of a kind, or for one object. */
interface Wanted {
  readonly kind: ServedKind;
  readonly name: string | null;
}

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

const getUnclear = defineError<{ problem: string }>({
  code: 'GET_UNCLEAR',
  retry: 'never',
  message: ({ problem }) => problem,
  hint: () => 'Write podkeep get KIND [NAME…], or podkeep get KIND/NAME…',
});

export async function getObjects(
  words: readonly string[],
  options: GetOptions,
  io: Io,
  signal: AbortSignal,
): Promise<number> {
  const session = await openSession(options, io);
  try {
    const wanted = await readWords(session, words, signal);
    checkOptions(wanted, options);
    const get = new Get(session, options, io, signal);
    return options.output === 'table' || options.output === 'wide'
      ? await get.printTables(wanted)
      : await get.printObjects(wanted, options.output);
  } finally {
    await session.close();
  }
}

/** Parses `pods`, `pods,svc`, `pods a b`, `pod/a svc/b`. */
async function readWords(
  session: ApiSession,
  words: readonly string[],
  signal: AbortSignal,
): Promise<readonly Wanted[]> {
  const [first = '', ...names] = words;
  if (words.every((word) => word.includes('/'))) {
    const pairs = words.map((word) => word.split('/'));
    const found: Wanted[] = [];
    for (const [kindName = '', name = '', ...rest] of pairs) {
      if (name === '' || rest.length > 0) {
        throw getUnclear({ problem: 'KIND/NAME has one slash, with something on both sides' });
      }
      const [kind] = await findKinds(session, [kindName], signal);
      if (kind) found.push({ kind, name });
    }
    return found;
  }
  if (words.some((word) => word.includes('/'))) {
    throw getUnclear({ problem: 'name the kind either once or in each KIND/NAME, not both' });
  }
  const kinds = await findKinds(session, first.split(','), signal);
  if (names.length === 0) return kinds.map((kind) => ({ kind, name: null }));
  return kinds.flatMap((kind) => names.map((name) => ({ kind, name })));
}

function checkOptions(wanted: readonly Wanted[], options: GetOptions): void {
  const { allNamespaces, selector, watch } = options;
  const isNamed = wanted.some(({ name }) => name !== null);
  if (isNamed && allNamespaces) {
    throw getUnclear({ problem: 'a resource cannot be retrieved by name across all namespaces' });
  }
  if (isNamed && selector !== undefined) {
    throw getUnclear({ problem: 'a selector cannot be used with a name' });
  }
  if (watch && wanted.length !== 1) {
    throw getUnclear({ problem: 'only one kind, or one object, can be watched' });
  }
}

class Get {
  readonly #session: ApiSession;
  readonly #options: GetOptions;
  readonly #io: Io;
  readonly #signal: AbortSignal;

  constructor(session: ApiSession, options: GetOptions, io: Io, signal: AbortSignal) {
    this.#session = session;
    this.#options = options;
    this.#io = io;
    this.#signal = signal;
  }

  async printTables(wanted: readonly Wanted[]): Promise<number> {
    const kinds = new Set(wanted.map(({ kind }) => kind));
    let count = 0;
    for (const kind of kinds) {
      const printer = this.#printerFor(kind, kinds.size > 1);
      for (const one of wanted.filter((each) => each.kind === kind)) {
        const table = await this.#session.ask(this.#target(one), this.#signal, TABLE);
        const text = printer.print(table);
        // An empty line between kinds, as in kubectl.
        if (count > 0 && text !== '' && one === wanted.find((each) => each.kind === kind)) {
          this.#io.out('\n');
        }
        this.#io.out(text);
        count += objectsIn(table['rows']).length;
        if (this.#options.watch) await this.#watchTables(one, table, printer);
      }
    }
    if (count === 0 && !this.#options.watch) this.#sayNothingFound(wanted);
    return 0;
  }

  async printObjects(wanted: readonly Wanted[], output: 'json' | 'yaml' | 'name'): Promise<number> {
    const answers: JsonObject[] = [];
    for (const one of wanted) {
      answers.push(await this.#session.ask(this.#target(one), this.#signal));
    }
    const objects = answers.flatMap((answer, at) =>
      wanted[at]?.name === null ? itemsOf(answer, wanted[at].kind) : [answer],
    );
    if (output === 'name') {
      const kinds = answers.flatMap((answer, at) =>
        wanted[at]?.name === null ? itemsOf(answer, wanted[at].kind).map(() => at) : [at],
      );
      for (const [index, object] of objects.entries()) {
        const kind = wanted[kinds[index] ?? 0]?.kind;
        if (kind) this.#show(`${nameOfKind(kind)}/${nameOf(object)}\n`);
      }
    } else {
      const [only] = objects;
      const isOne = wanted.length === 1 && wanted[0]?.name !== null && only !== undefined;
      this.#show(await printObject(isOne ? only : listOf(objects), output));
    }
    if (this.#options.watch) await this.#watchObjects(wanted, answers, output);
    else if (objects.length === 0 && output === 'name') this.#sayNothingFound(wanted);
    return 0;
  }

  /** Escapes control characters on a terminal only; programs get the output unchanged. */
  #show(text: string): void {
    this.#io.out(this.#io.isOutTerminal ? visibleText(text) : text);
  }

  async #watchTables(one: Wanted, table: JsonObject, printer: TablePrinter): Promise<void> {
    for await (const object of this.#watch(one, table, TABLE)) this.#io.out(printer.print(object));
  }

  async #watchObjects(
    [one]: readonly Wanted[],
    [list]: readonly JsonObject[],
    output: 'json' | 'yaml' | 'name',
  ): Promise<void> {
    if (!one || !list) return;
    for await (const object of this.#watch(one, list, 'application/json')) {
      if (output === 'name') this.#show(`${nameOfKind(one.kind)}/${nameOf(object)}\n`);
      else this.#show((output === 'yaml' ? '---\n' : '') + (await printObject(object, output)));
    }
  }

  async *#watch(one: Wanted, from: JsonObject, accept: string): AsyncGenerator<JsonObject> {
    const { metadata } = from;
    const version = isJsonObject(metadata) ? textOf(metadata['resourceVersion']) : '';
    const query = { watch: 'true', resourceVersion: version };
    const field = one.name === null ? {} : { fieldSelector: `metadata.name=${one.name}` };
    const target = this.#target({ ...one, name: null }, { ...query, ...field });
    for await (const { type, object } of this.#session.watch(target, this.#signal, accept)) {
      if (!isJsonObject(object) || type === 'BOOKMARK') continue;
      if (type === 'ERROR') throw statusToError(object, 500);
      yield object;
    }
  }

  #target({ kind, name }: Wanted, more: Readonly<Record<string, string>> = {}): string {
    const { allNamespaces, selector } = this.#options;
    const path = pathOfKind(kind, allNamespaces ? '' : this.#session.namespace);
    const query = new URLSearchParams({
      ...(selector !== undefined && { labelSelector: selector }),
      ...more,
    }).toString();
    const full = name === null ? path : `${path}/${encodeURIComponent(name)}`;
    return query === '' ? full : `${full}?${query}`;
  }

  #printerFor(kind: ServedKind, hasPrefix: boolean): TablePrinter {
    const { output, headers, allNamespaces } = this.#options;
    return new TablePrinter({
      isWide: output === 'wide',
      hasHeaders: headers,
      withNamespace: allNamespaces && kind.isNamespaced,
      prefix: hasPrefix ? `${nameOfKind(kind)}/` : '',
    });
  }

  #sayNothingFound(wanted: readonly Wanted[]): void {
    const isInside = wanted.some(({ kind }) => kind.isNamespaced) && !this.#options.allNamespaces;
    const place = isInside ? ` in ${this.#session.namespace} namespace.` : '';
    this.#io.err(`No resources found${place}\n`);
  }
}

/** Adds apiVersion and kind to items of a list, which omit them. */
function itemsOf(list: JsonObject, { group, version, kind }: ServedKind): readonly JsonObject[] {
  const apiVersion = group === '' ? version : `${group}/${version}`;
  return objectsIn(list['items']).map((item) => ({ apiVersion, kind, ...item }));
}

function nameOf({ metadata }: JsonObject): string {
  return isJsonObject(metadata) ? textOf(metadata['name']) : '';
}

/**
 * Bundles the emitted types into one declaration file for each entry point of the package.
 *
 *     index ──> node ──> ports/runtime/…      one file with all reachable declarations,
 *           └─> kubelet/…                     and no others
 *
 * Declarations have their public names; private ones that would clash get a number. A declaration that an
 * earlier entry point exports is imported from there, so that there is only one `Pod` and one `PodkeepError`,
 * however many entry points a program uses.
 */
import path from 'node:path';
import {
  readDeclarationFile,
  type Declaration,
  type DeclarationFile,
  type Reference,
} from './declaration-file.ts';

export interface EntryPoint {
  /** The name of its output, without the extension. */
  readonly name: string;
  /** The path of its emitted file. */
  readonly file: string;
}

/**
 * What a name refers to: a declaration of podkeep, or a name of another package. Undefined stands for a
 * global.
 */
type Target =
  | { readonly file: string; readonly name: string }
  | { readonly source: string; readonly name: string };

interface Published {
  readonly entry: string;
  readonly name: string;
}

/** Returns the text of each entry point, by name. Later entry points import from earlier ones. */
export function rollUpTypes(
  entries: readonly EntryPoint[],
  read: (file: string) => string,
): ReadonlyMap<string, string> {
  const files = new Map<string, DeclarationFile>();
  const load = (file: string): DeclarationFile => {
    const known = files.get(file) ?? readDeclarationFile(file, read(file));
    files.set(file, known);
    return known;
  };
  const published = new Map<string, Published>();
  const classes = new Set<string>();
  return new Map(
    entries.map((entry) => [entry.name, new RollUp(entry, load, published, classes).text()]),
  );
}

class RollUp {
  readonly #entry: EntryPoint;
  readonly #load: (file: string) => DeclarationFile;
  readonly #published: Map<string, Published>;
  readonly #classes: Set<string>;
  /** Declarations of this file by key, in the order in which they were reached. */
  readonly #declared = new Map<string, { readonly file: string; readonly name: string }>();
  /** Imported names by key. */
  readonly #imported = new Map<string, { readonly source: string; readonly name: string }>();
  readonly #globals = new Set<string>();
  readonly #names = new Map<string, string>();

  constructor(
    entry: EntryPoint,
    load: (file: string) => DeclarationFile,
    published: Map<string, Published>,
    classes: Set<string>,
  ) {
    this.#entry = entry;
    this.#load = load;
    this.#published = published;
    this.#classes = classes;
  }

  text(): string {
    const exported = [...this.#exportsOf(this.#entry.file)];
    for (const { target } of exported) this.#reach(target);
    const clash = exported.find(({ name }) => this.#globals.has(name));
    if (clash) throw new Error(`${clash.name} is exported, and a global of that name is used`);
    const taken = new Set([...this.#globals, ...exported.map(({ name }) => name)]);
    for (const { name, target } of exported) {
      if (!this.#names.has(keyOf(target))) this.#names.set(keyOf(target), name);
    }
    for (const [key, { name }] of [...this.#imported, ...this.#declared]) {
      if (!this.#names.has(key)) this.#names.set(key, unused(name, taken));
    }
    const list = exported.map(({ name, target, isType }) => {
      const local = this.#nameOf(target);
      return `${isType ? 'type ' : ''}${local === name ? name : `${local} as ${name}`}`;
    });
    const parts = [
      this.#load(this.#entry.file).header,
      this.#importLines(),
      ...[...this.#declared.values()].map(({ file, name }) => this.#print(file, name)),
      `export {\n${list.map((each) => `  ${each},\n`).join('')}};`,
    ];
    this.#publish(exported);
    return `${parts.filter((part) => part !== '').join('\n')}\n`;
  }

  #publish(exported: readonly { readonly name: string; readonly target: Target }[]): void {
    for (const { name, target } of exported) {
      const key = keyOf(target);
      if (!this.#published.has(key)) this.#published.set(key, { entry: this.#entry.name, name });
    }
    for (const [key, { file, name }] of this.#declared) {
      if (this.#load(file).declarations.get(name)?.[0]?.kind !== 'class') continue;
      // Two declarations of a class with private members would be incompatible types.
      if (this.#classes.has(key))
        throw new Error(`export the class ${name} of ${file}: it is used twice`);
      this.#classes.add(key);
    }
  }

  /** Every name that a file exports, and what it refers to. */
  *#exportsOf(
    file: string,
    isTypeOnly = false,
  ): Generator<{ readonly name: string; readonly target: Target; readonly isType: boolean }> {
    const { exports, stars } = this.#load(file);
    for (const [name, { isType }] of exports) {
      const target = this.#resolve(file, name);
      if (!target) throw new Error(`${file}: ${name} leads nowhere`);
      yield { name, target, isType: isTypeOnly || isType || this.#isType(target) };
    }
    for (const { source, isType } of stars) {
      yield* this.#exportsOf(fileOf(file, source), isTypeOnly || isType);
    }
  }

  #isType(target: Target): boolean {
    if (!('file' in target)) return false;
    return this.#load(target.file).declarations.get(target.name)?.[0]?.kind === 'type';
  }

  /** Collects a declaration and all declarations that it needs. */
  #reach(target: Target): void {
    const key = keyOf(target);
    if (this.#declared.has(key) || this.#imported.has(key)) return;
    const published = this.#published.get(key);
    if (published) {
      this.#imported.set(key, { source: `./${published.entry}.js`, name: published.name });
    } else if ('source' in target) {
      this.#imported.set(key, target);
    } else {
      this.#declared.set(key, target);
      for (const declaration of this.#declarations(target)) {
        for (const reference of declaration.references) {
          const next = this.#find(target.file, reference);
          if (next) this.#reach(next.target);
          else this.#globals.add(reference.path[0] ?? '');
        }
      }
    }
  }

  #declarations({ file, name }: { readonly file: string; readonly name: string }) {
    return this.#load(file).declarations.get(name) ?? [];
  }

  /** The target of a reference, and the rest of its path. Undefined: a global. */
  #find(
    file: string,
    { source, path: names }: Reference,
  ): { readonly target: Target; readonly rest: readonly string[] } | undefined {
    const [first = '', second = '', ...rest] = names;
    const imported = source === undefined ? this.#load(file).imports.get(first) : undefined;
    const whole = source ?? (imported?.name === '*' ? imported.source : undefined);
    if (whole === undefined) {
      const target = this.#resolveLocal(file, first);
      return target && { target, rest: names.slice(1) };
    }
    const [name, behind] = source === undefined ? [second, rest] : [first, names.slice(1)];
    const target = isOurs(whole)
      ? this.#resolve(fileOf(file, whole), name)
      : { source: whole, name };
    if (!target) throw new Error(`${file}: ${whole} has no ${name}`);
    return { target, rest: behind };
  }

  /** Resolves a name that `file` exports. */
  #resolve(file: string, name: string): Target | undefined {
    const { exports, stars } = this.#load(file);
    const found = exports.get(name);
    if (found) {
      const { source } = found;
      if (source === undefined) return this.#resolveLocal(file, found.name);
      return isOurs(source)
        ? this.#resolve(fileOf(file, source), found.name)
        : { source, name: found.name };
    }
    for (const { source } of stars) {
      const target = this.#resolve(fileOf(file, source), name);
      if (target) return target;
    }
    return undefined;
  }

  #resolveLocal(file: string, name: string): Target | undefined {
    const { declarations, imports } = this.#load(file);
    if (declarations.has(name)) return { file, name };
    const found = imports.get(name);
    if (!found) return undefined;
    const { source } = found;
    return isOurs(source) ? this.#resolve(fileOf(file, source), found.name) : found;
  }

  #nameOf(target: Target): string {
    return this.#names.get(keyOf(target)) ?? target.name;
  }

  #importLines(): string {
    const bySource = new Map<string, string[]>();
    for (const [key, { source, name }] of this.#imported) {
      const local = this.#names.get(key) ?? name;
      const names = bySource.get(source) ?? [];
      names.push(local === name ? name : `${name} as ${local}`);
      bySource.set(source, names);
    }
    return [...bySource]
      .map(([source, names]) => `import { ${names.toSorted().join(', ')} } from '${source}';`)
      .toSorted()
      .join('\n');
  }

  #print(file: string, name: string): string {
    const { text } = this.#load(file);
    const printed = this.#names.get(keyOf({ file, name })) ?? name;
    return this.#declarations({ file, name })
      .map((each) => {
        const edits = each.references.flatMap((reference) => {
          const found = this.#find(file, reference);
          if (!found) return [];
          const replacement = [this.#nameOf(found.target), ...found.rest].join('.');
          return [{ start: reference.start, end: reference.end, text: replacement }];
        });
        edits.push({ start: each.nameStart, end: each.nameStart + name.length, text: printed });
        const body = edit(text, each, edits);
        const isDeclared = each.kind === 'type' || body.startsWith('declare ');
        return `${each.doc && `${each.doc}\n`}${isDeclared ? '' : 'declare '}${body}`;
      })
      .join('\n');
  }
}

function edit(
  text: string,
  { start, end }: Declaration,
  edits: readonly { readonly start: number; readonly end: number; readonly text: string }[],
): string {
  let result = '';
  let at = start;
  for (const each of edits.toSorted((a, b) => a.start - b.start)) {
    result += text.slice(at, each.start) + each.text;
    at = each.end;
  }
  return result + text.slice(at, end);
}

function unused(name: string, taken: Set<string>): string {
  let candidate = name;
  for (let count = 2; taken.has(candidate); count++) candidate = `${name}${count}`;
  taken.add(candidate);
  return candidate;
}

function keyOf(target: Target): string {
  return 'file' in target ? `${target.file}#${target.name}` : `${target.source}#${target.name}`;
}

function isOurs(source: string): boolean {
  return source.startsWith('.');
}

function fileOf(from: string, source: string): string {
  return path.join(path.dirname(from), source.replace(/\.[tj]s$/, '.d.ts'));
}

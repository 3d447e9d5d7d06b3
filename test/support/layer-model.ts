/**
 * What layers should unpack to, as a tree in memory. It has no paths on a disk and no code of the
 * unpacker: folders are maps, links are followed by walking them.
 */
import type { TarEntry } from './tar-writer.ts';

interface Folder {
  readonly kind: 'folder';
  readonly children: Map<string, Node>;
  mode: number;
  /** The last layer that made it, or made something below it. */
  layer: number;
}

interface Leaf {
  readonly kind: 'file' | 'symlink';
  readonly text: string;
  readonly mode: number;
  readonly layer: number;
}

type Node = Folder | Leaf;

const LINKS_MAX = 40;

/** The tree as LayerHarness describes one; throws where the layers must be refused. */
export function modelOf(
  layers: readonly (readonly TarEntry[])[],
): Readonly<Record<string, string>> {
  const model = new Model();
  layers.forEach((entries, layer) => {
    for (const entry of entries) model.apply(entry, layer);
  });
  return Object.fromEntries(model.describe());
}

class Model {
  readonly #root: Folder = { kind: 'folder', children: new Map(), mode: 0o755, layer: -1 };

  apply(entry: TarEntry, layer: number): void {
    const path = cleaned(String(entry.name));
    const base = path.at(-1);
    const above = path.slice(0, -1);
    if (above.some((name) => name.startsWith('.wh.'))) return;
    if (base === '.wh..wh..opq') {
      const trail = this.#enter(above);
      if (trail) removeLower(last(trail), layer);
    } else if (base?.startsWith('.wh.')) {
      const trail = this.#enter(above);
      if (trail) whiteOut(last(trail), base.slice('.wh.'.length), layer);
    } else this.#create(entry, path, layer);
  }

  #create(entry: TarEntry, path: readonly string[], layer: number): void {
    const { content = '', target = '', mode = 0o644 } = entry;
    const isOldFolder = entry.type === undefined && String(entry.name).endsWith('/');
    const type = isOldFolder ? 'folder' : (entry.type ?? 'file');
    const base = path.at(-1);
    if (base === undefined) {
      if (type !== 'folder') throw new Error('not a folder');
      this.#root.mode = mode | 0o700;
      return;
    }
    if (type === 'characterDevice' || type === 'fifo') return;
    const linked = type === 'hardLink' ? this.#leafAt(cleaned(target)) : undefined;
    const trail = this.#enter(path.slice(0, -1), layer) ?? [];
    const { children } = last(trail);
    for (const folder of trail) folder.layer = layer;
    const there = children.get(base);
    if (type === 'folder') {
      const inside = there?.kind === 'folder' ? there.children : new Map<string, Node>();
      children.set(base, { kind: 'folder', children: inside, mode: mode | 0o700, layer });
    } else if (linked) {
      if (there === linked) children.set(base, { ...linked, layer });
      // A hard link below the entry that it replaces has lost its target.
      else if (there?.kind === 'folder' && holds(there, linked)) throw new Error('target is gone');
      else children.set(base, { ...linked, layer });
    } else if (type === 'symlink') {
      children.set(base, { kind: 'symlink', text: target, mode: 0, layer });
    } else {
      children.set(base, { kind: 'file', text: String(content), mode: mode | 0o400, layer });
    }
  }

  #leafAt(path: readonly string[]): Leaf {
    const base = path.at(-1);
    const trail = this.#enter(path.slice(0, -1));
    const found = base === undefined || !trail ? undefined : last(trail).children.get(base);
    if (!found || found.kind === 'folder') throw new Error('no such file');
    return found;
  }

  /** The folders on the way, the last one included. Missing ones are made for a `layer`. */
  #enter(path: readonly string[], layer?: number): readonly Folder[] | undefined {
    const trail = [this.#root];
    const waiting = [...path];
    let links = 0;
    while (waiting.length > 0) {
      const name = waiting.shift() ?? '';
      if (name === '..') {
        if (trail.length > 1) trail.pop();
        continue;
      }
      const found = last(trail).children.get(name);
      if (found?.kind === 'folder') trail.push(found);
      else if (found?.kind === 'file') throw new Error('a file is in the way');
      else if (found) {
        if (++links > LINKS_MAX) throw new Error('too many links');
        if (found.text.startsWith('/')) trail.length = 1;
        waiting.unshift(...found.text.split('/').filter((part) => part !== '' && part !== '.'));
      } else if (layer === undefined) return undefined;
      else {
        const made: Folder = { kind: 'folder', children: new Map(), mode: 0o755, layer };
        last(trail).children.set(name, made);
        trail.push(made);
      }
    }
    return trail;
  }

  *describe(folder = this.#root, name = '/'): Generator<readonly [string, string]> {
    yield [name, `folder ${folder.mode.toString(8)}`];
    for (const [each, node] of folder.children) {
      if (node.kind === 'folder') yield* this.describe(node, `${name}${each}/`);
      else if (node.kind === 'symlink') yield [`${name}${each}`, `-> ${node.text}`];
      else yield [`${name}${each}`, `${node.mode.toString(8)} ${node.text}`];
    }
  }
}

function whiteOut({ children }: Folder, name: string, layer: number): void {
  const node = children.get(name);
  if (node && node.layer !== layer) children.delete(name);
  else if (node?.kind === 'folder') removeLower(node, layer);
}

function removeLower(folder: Folder, layer: number): void {
  for (const name of [...folder.children.keys()]) whiteOut(folder, name, layer);
}

function holds(folder: Folder, leaf: Leaf): boolean {
  return [...folder.children.values()].some(
    (node) => node === leaf || (node.kind === 'folder' && holds(node, leaf)),
  );
}

function cleaned(name: string): readonly string[] {
  if (name === '') throw new Error('empty');
  const path: string[] = [];
  for (const part of name.split('/')) {
    if (part === '..' && path.pop() === undefined) throw new Error('out of the image');
    if (part !== '' && part !== '.' && part !== '..') path.push(part);
  }
  return path;
}

function last(trail: readonly Folder[]): Folder {
  const folder = trail.at(-1);
  if (!folder) throw new Error('a trail begins at the root');
  return folder;
}

/** The folder of manifests on the node: static pods come from here. Two files may name one pod. */
import type { Pod } from '../../src/api/pod.ts';

export interface ManifestChange {
  readonly removed: Pod | null;
  readonly added: Pod | null;
}

export class Manifests {
  readonly #files = new Map<string, Pod>();
  onChange: (change: ManifestChange) => void = () => {};

  pods(): readonly Pod[] {
    return [...this.#files.values()];
  }

  find(file: string): Pod | undefined {
    return this.#files.get(file);
  }

  write(file: string, pod: Pod): void {
    const removed = this.#files.get(file) ?? null;
    this.#files.set(file, pod);
    this.onChange({ removed, added: pod });
  }

  remove(file: string): void {
    const removed = this.#files.get(file) ?? null;
    this.#files.delete(file);
    this.onChange({ removed, added: null });
  }
}

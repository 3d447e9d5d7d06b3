/**
 * The paths that one layer has created in an image so far, and the folders above them.
 *
 * A whiteout removes paths of lower layers, never paths of its own layer, even if these come earlier in the
 * archive. This set distinguishes the two.
 */
import type { ImagePath } from './layer-entry.ts';

export class CreatedPaths {
  readonly #paths = new Set<string>();

  add(path: ImagePath): void {
    // The folders above a known path are known, too.
    for (let end = path.length; end > 0; end--) {
      const key = path.slice(0, end).join('/');
      if (this.#paths.has(key)) return;
      this.#paths.add(key);
    }
  }

  has(path: ImagePath): boolean {
    return path.length === 0 || this.#paths.has(path.join('/'));
  }
}

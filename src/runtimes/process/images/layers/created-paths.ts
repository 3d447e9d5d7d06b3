/**
 * The paths that one layer has created in an image so far, and the folders above them.
 *
 * A whiteout hides what lower layers had, never what its own layer has, wherever it stands in the archive:
 * this set distinguishes the two.
 */
import type { ImagePath } from './layer-entry.ts';

export class CreatedPaths {
  readonly #paths = new Set<string>();

  add(path: ImagePath): void {
    // Everything above a known path is known.
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

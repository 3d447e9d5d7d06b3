/**
 * Counts, for each name of an image, the nodes that have the image. Its size is the one that the first node
 * reported.
 */
import type { NodeView } from './cluster.ts';

interface ImageState {
  readonly bytes: number;
  readonly nodes: Set<string>;
}

export class ImageSpread {
  readonly #images = new Map<string, ImageState>();

  replace(before: NodeView | undefined, after: NodeView | undefined): void {
    for (const image of before?.images.keys() ?? []) {
      if (before && !after?.images.has(image)) this.#forget(image, before.name);
    }
    for (const [image, bytes] of after?.images ?? []) {
      const state = this.#images.get(image) ?? { bytes, nodes: new Set() };
      if (after) state.nodes.add(after.name);
      this.#images.set(image, state);
    }
  }

  /** Undefined: no node has the image. */
  find(image: string): { readonly bytes: number; readonly nodes: number } | undefined {
    const state = this.#images.get(image);
    return state && { bytes: state.bytes, nodes: state.nodes.size };
  }

  #forget(image: string, node: string): void {
    const state = this.#images.get(image);
    state?.nodes.delete(node);
    if (state?.nodes.size === 0) this.#images.delete(image);
  }
}

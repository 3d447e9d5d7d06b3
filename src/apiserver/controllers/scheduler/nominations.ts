/**
 * Tracks nominated pods: pending pods for which others were preempted, by the node on which they are to run.
 */
import type { PodView } from './pod-view.ts';

export class Nominations {
  readonly #byNode = new Map<string, Map<string, PodView>>();
  readonly #nodes = new Map<string, string>();

  /** `node`: empty: the pod is no longer nominated. */
  set(pod: PodView, node: string): void {
    this.delete(pod.key);
    if (node === '') return;
    const pods = this.#byNode.get(node) ?? new Map<string, PodView>();
    pods.set(pod.key, pod);
    this.#byNode.set(node, pods);
    this.#nodes.set(pod.key, node);
  }

  delete(key: string): void {
    const node = this.#nodes.get(key);
    if (node === undefined) return;
    this.#nodes.delete(key);
    const pods = this.#byNode.get(node);
    pods?.delete(key);
    if (pods?.size === 0) this.#byNode.delete(node);
  }

  on(node: string): readonly PodView[] {
    return [...(this.#byNode.get(node)?.values() ?? [])];
  }

  /** Empty: the pod is not nominated. */
  nodeOf(key: string): string {
    return this.#nodes.get(key) ?? '';
  }
}

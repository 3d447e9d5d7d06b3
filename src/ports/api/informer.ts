/**
 * A local copy of the API's objects of one kind, or of some of them, kept up to date by a watch.
 *
 * Objects are shared and immutable. Handlers are called one after the other, in the order of the API's
 * versions for each object, and after the copy has changed. A handler that throws does not affect the others.
 */
import type { JsonObject } from '../../lib/json.ts';

export interface InformerHandlers {
  readonly added?: (object: JsonObject) => void;
  /**
   * The object has the same UID as before. If another object took its name, `deleted` and `added` are called
   * instead.
   */
  readonly updated?: (before: JsonObject, after: JsonObject) => void;
  readonly deleted?: (object: JsonObject) => void;
  /**
   * Everything was listed again: at the beginning, and whenever the watch lost its position. With this
   * handler, the differences to the previous list are not delivered one by one.
   */
  readonly listed?: (objects: readonly JsonObject[]) => void;
}

export interface InformerRequest {
  /** Such as `/api/v1/pods`. */
  readonly path: string;
  /** Such as `spec.nodeName=node1`. */
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
  /** A watch lasts at least this long, and at most twice as long, before it is renewed. */
  readonly watchSecondsMin?: number;
  readonly handlers?: InformerHandlers;
}

export interface Informer {
  /** Everything was listed at least once. */
  readonly hasSynced: boolean;
  /** By `NAMESPACE/NAME`, or by `NAME` for cluster-scoped objects. */
  get(key: string): JsonObject | undefined;
  list(): readonly JsonObject[];
  /** No handler is called any more. The copy stays as it is. */
  stop(): void;
}

/** Starts immediately. It continues until it is stopped, whatever happens to the API server. */
export type StartInformer = (request: InformerRequest) => Informer;

/**
 * A copy of the API's objects of one kind, or of some of them, kept up to date by a watch.
 *
 * Objects belong to all: nobody changes them. Handlers are called one after the other, in the order of
 * the API's versions for each object, and after the copy has changed. One that throws does no harm to
 * the others.
 */
import type { JsonObject } from '../lib/json.ts';

export interface InformerHandlers {
  readonly added?: (object: JsonObject) => void;
  /** The same object, by its UID. One that took the name of another is `deleted` and `added`. */
  readonly updated?: (before: JsonObject, after: JsonObject) => void;
  readonly deleted?: (object: JsonObject) => void;
  /**
   * Everything was read anew: at the beginning, and whenever the watch has lost its place. Whoever
   * gives this handler is not told of the differences to the list before one by one.
   */
  readonly listed?: (objects: readonly JsonObject[]) => void;
}

export interface InformerRequest {
  /** Such as `/api/v1/pods`. */
  readonly path: string;
  /** Such as `spec.nodeName=node1`. */
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
  /** A watch lives at least so long, and at most twice as long, before it is renewed. */
  readonly watchSecondsMin?: number;
  readonly handlers?: InformerHandlers;
}

export interface Informer {
  /** Everything was read at least once. */
  readonly hasSynced: boolean;
  /** By `NAMESPACE/NAME`, or by `NAME` for what is in no namespace. */
  get(key: string): JsonObject | undefined;
  list(): readonly JsonObject[];
  /** No handler is called any more. The copy stays as it is. */
  stop(): void;
}

/** Begins at once. It goes on until it is stopped, whatever happens to the API server. */
export type StartInformer = (request: InformerRequest) => Informer;

/**
 * The requests that the registry accepts: create, update and others, with the user and the options of the
 * write.
 */
import type { JsonObject } from '../../lib/json.ts';
import type { User } from '../objects/access.ts';
import type { KindDefinition } from '../objects/kind.ts';

/** Identifies an object by kind, namespace and name. */
export interface Target {
  readonly definition: KindDefinition;
  readonly namespace: string;
  readonly name: string;
}

/** The user, and whether it is a dry run. Absent: the server itself writes. */
export interface Writing {
  readonly user?: User;
  readonly dryRun?: boolean;
  /** The manager of the written fields. Absent: the server itself. */
  readonly manager?: string;
  /** True: the object already has its managers (apply, scale). */
  readonly isTracked?: boolean;
  /** Receives the warnings of admission, possibly the same text twice. */
  readonly warn?: (sentence: string) => void;
  /** Receives annotations for the audit event. */
  readonly annotate?: ((key: string, value: string) => void) | undefined;
  /** The options of the operation, for webhooks and policies. */
  readonly options?: JsonObject;
  /**
   * True: webhooks and policies are not called, because the server writes an object that it needs to start,
   * or completes a request for which they were already called.
   */
  readonly isExempt?: boolean;
}

export interface CreateRequest extends Writing {
  readonly definition: KindDefinition;
  readonly namespace: string;
  readonly body: JsonObject;
}

export interface UpdateRequest extends Target, Writing {
  readonly subresource?: string | null;
  /**
   * True (PUT): the UID of the new object, if it has one, must be that of the stored one. Absent: the UID is
   * validated as an immutable field.
   */
  readonly hasUidPrecondition?: boolean;
  /** Builds the new object from the current one. Called again after a write conflict. */
  readonly change: (old: JsonObject) => JsonObject;
}

/** A request that stores no object. */
export interface Asking extends Target, Writing {
  readonly verb?: 'create' | 'connect';
  readonly subresource: string | null;
  readonly body: JsonObject;
}

/** What a write is about: its object, its user, and what the registry needs to know of the request. */
import type { JsonObject } from '../../lib/json.ts';
import type { User } from '../objects/access.ts';
import type { KindDefinition } from '../objects/kind.ts';

/** Which object of which kind. */
export interface Target {
  readonly definition: KindDefinition;
  readonly namespace: string;
  readonly name: string;
}

/** The user, and whether it is a dry run; absent: the server itself writes. */
export interface Writing {
  readonly user?: User;
  readonly dryRun?: boolean;
  /** The manager of the fields that it writes; absent: the server itself. */
  readonly manager?: string;
  /** The managers are in the object already (apply, scale). */
  readonly isTracked?: boolean;
  /** Receives warnings of admission; may get the same sentence twice. */
  readonly warn?: (sentence: string) => void;
  /** Takes annotations for the audit event. */
  readonly annotate?: ((key: string, value: string) => void) | undefined;
  /** The options of the operation, for webhooks and policies. */
  readonly options?: JsonObject;
  /**
   * Webhooks and policies are not asked: the server writes what it needs to start, or completes a request
   * that they were asked about.
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
  /** The UID of the new object, if it has one, must be that of the stored one (PUT); absent: it is validated. */
  readonly hasUidPrecondition?: boolean;
  /** Makes the new object from the current one. Called again after a write conflict. */
  readonly change: (old: JsonObject) => JsonObject;
}

/** A request that stores no object of its own. */
export interface Asking extends Target, Writing {
  readonly verb?: 'create' | 'connect';
  readonly subresource: string | null;
  readonly body: JsonObject;
}

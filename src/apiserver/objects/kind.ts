/**
 * The definition of a kind that the API server serves: its names, its schema, and the rules that only this
 * kind has. Everything else is the same for all kinds, and is in the registry.
 */
import type { StructType } from '../../api/schema/shape.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { FieldError } from '../../api/validation/field-error.ts';

export interface KindDefinition {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Absent: the kind followed by `List`. */
  readonly listKind?: string;
  /** The plural in paths, such as `pods`. */
  readonly resource: string;
  readonly singular: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly namespaced: boolean;
  /** The shape of a built-in kind; absent for custom ones, whose rules bring their own. */
  readonly type?: StructType;
  /** The structural schema of a custom kind from its definition, published to clients by OpenAPI. */
  readonly openApiSchema?: JsonObject;
  readonly verbs?: readonly Verb[];
  readonly subresources?: readonly Subresource[];
  readonly rules: KindRules;
  readonly columns: readonly Column[];
  /** Conditions of a Table row, such as that the object is completed. */
  readonly rowConditions?: (object: JsonObject) => readonly JsonObject[];
  /** Sent with every response: that the kind is deprecated, and what to use instead. */
  readonly warning?: string;
  /** Objects that are generated for each response and never stored. May throw a StatusError. */
  readonly made?: (scope: MadeScope) => readonly JsonObject[] | Promise<readonly JsonObject[]>;
  /** Two kinds may serve the same stored objects, such as the events of two groups. */
  readonly storedAs?: StoredForm;
}

/** Which generated objects a request asks for. */
export interface MadeScope {
  /** Empty: all namespaces, or a cluster-scoped kind. */
  readonly namespace: string;
  /** Null: a list. */
  readonly name: string | null;
}

/** The schema of a built-in kind. Absent for custom kinds, whose rules have their own schema. */
export type Verb =
  | 'create'
  | 'delete'
  | 'deletecollection'
  | 'get'
  | 'list'
  | 'patch'
  | 'update'
  | 'watch';

export interface Subresource {
  readonly name: string;
  readonly verbs: readonly Verb[];
  /** The kind of its objects, if it is not the resource's own (Scale, Eviction, Binding). */
  readonly group?: string;
  readonly version?: string;
  readonly kind: string;
  /** Present: the subresource serves another object, derived from the resource's own, such as a Scale. */
  readonly view?: View;
  /** Requests are forwarded to a kubelet, or to a pod or Service (connect/). */
  readonly connects?: 'stream' | 'log' | 'proxy';
  /** Changes through this subresource do not increase the generation. */
  readonly keepsGeneration?: true;
  /** The kind of the POST body, for subresources with an action (action.ts). */
  readonly body?: KindDefinition;
  /** The subresource's own rules for updates. Absent: those of the resource, or of its status. */
  readonly prepareForUpdate?: (object: JsonObject, old: JsonObject) => JsonObject;
  readonly validateUpdate?: (object: JsonObject, old: JsonObject) => readonly FieldError[];
}

/** An object that represents a part of another, and can be written back into it. */
export interface View {
  /** The kind of the view. It is never stored. */
  readonly definition: KindDefinition;
  /** Both may throw a StatusError if the object has no such part, or cannot take it. */
  readonly read: (object: JsonObject) => JsonObject;
  readonly write: (object: JsonObject, view: JsonObject) => JsonObject;
  /** Throws a StatusError if there is nothing to read yet, although writing is allowed. */
  readonly checkRead?: (object: JsonObject) => void;
  /** The field of the object with the replicas that the view shows, as a FieldsV1 path. */
  readonly replicasPath?: readonly string[];
}

/** The kind in which objects are stored, if it differs from the kind that serves them. */
export interface StoredForm {
  readonly definition: KindDefinition;
  readonly fromStored: (stored: JsonObject) => JsonObject;
  readonly toStored: (object: JsonObject) => JsonObject;
  /** Absent: the two functions above need nothing else. */
  readonly webhook?: WebhookForm;
  /** Calls the listener when the kind is served otherwise, or no more. Returns how to unsubscribe. */
  readonly whenReplaced?: (listener: () => void) => () => void;
}

/**
 * The conversions of a kind whose versions a webhook converts. `fromStored` and `toStored` know only results that
 * are there already, and need a replay for others (conversion-replay.ts). All reject with a StatusError.
 */
export interface WebhookForm {
  /** Differs between two definitions that convert differently. */
  readonly id: string;
  /** Many stored objects, in their order. `fromStored` knows the results afterwards. */
  readonly readAll: (stored: readonly JsonObject[]) => Promise<readonly JsonObject[]>;
  /** One object that is to be stored. The function adds its version. */
  readonly write: (object: JsonObject) => Promise<(resourceVersion: string) => WrittenForms>;
  /** To another version of the kind, with all that the webhook returns. Needs a replay. */
  readonly convert: (object: JsonObject, apiVersion: string) => JsonObject;
}

export interface WrittenForms {
  readonly stored: JsonObject;
  /** As a client reads it afterwards. */
  readonly served: JsonObject;
}

/** Pure functions: each returns a changed object, or errors. */
export interface KindRules {
  /**
   * Applies defaults, also to objects that are read from old stores. `old` is present on an update and
   * already has its defaults, so parts that the object shares with it can be skipped.
   */
  readonly applyDefaults?: (object: JsonObject, old?: JsonObject) => JsonObject;
  /** On create: sets the fields that the server determines, such as an empty status. */
  readonly prepareForCreate?: (object: JsonObject) => JsonObject;
  /** On update: restores the fields that the server keeps from the old object, such as its status. */
  readonly prepareForUpdate?: (object: JsonObject, old: JsonObject) => JsonObject;
  /** True: an update of an object that does not exist creates it. */
  readonly createsOnUpdate?: true;
  /** True: an update must have a resourceVersion. */
  readonly versionRequired?: true;
  /** Whether the change increases the generation. Absent: any change outside metadata and status does. */
  readonly isNewGeneration?: (object: JsonObject, old: JsonObject) => boolean;
  readonly validate?: (object: JsonObject) => readonly FieldError[];
  readonly validateUpdate?: (object: JsonObject, old: JsonObject) => readonly FieldError[];
  /** The same for the status subresource. */
  readonly prepareForStatusUpdate?: (object: JsonObject, old: JsonObject) => JsonObject;
  readonly validateStatusUpdate?: (object: JsonObject, old: JsonObject) => readonly FieldError[];
  /** The texts of Warning headers, on create and on update. */
  readonly warnings?: (object: JsonObject) => readonly string[];
  readonly updateWarnings?: (object: JsonObject, old: JsonObject) => readonly string[];
  /** Field selectors in addition to metadata.name and metadata.namespace, with this object's values. */
  readonly selectableFields?: (object: JsonObject) => Readonly<Record<string, string>>;
  /** The errors of a name. Absent: names are DNS subdomains. */
  readonly checkName?: (name: string) => readonly string[];
  /** Why this object may not be deleted. Absent or undefined: it may. */
  readonly refuseDeletion?: (object: JsonObject) => string | undefined;
  /** Changes outside metadata that a pending deletion makes. */
  readonly prepareForDeletion?: (object: JsonObject, nowMs: number) => JsonObject;
  /** Whether anything besides metadata.finalizers keeps a deleted object in the store. */
  readonly isHeld?: (object: JsonObject) => boolean;
  /**
   * True: a delete without a propagation policy orphans the dependents. Absent: the garbage collector deletes
   * them.
   */
  readonly orphansByDefault?: true;
  /** The text of the Warning header of a delete without a propagation policy. */
  readonly orphansWarning?: string;
  /** How long a deletion waits for the kubelet. Absent: it is immediate. */
  readonly gracePeriodSeconds?: (object: JsonObject, askedSeconds?: number) => number;
}

/** A column of a Table: what `kubectl get` prints. */
export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: string;
  readonly description?: string;
  /** 0: always shown; 1: with `-o wide`. */
  readonly priority: 0 | 1;
  readonly cell: (object: JsonObject, nowMs: number) => string | number | bigint | boolean | null;
}

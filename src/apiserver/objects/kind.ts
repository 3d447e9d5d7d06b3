/**
 * The definition of a kind that the API server serves: its names, its shape, and the few rules that only it
 * has. Everything else is the same for all kinds and is in the registry.
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
  /** The structural schema of a custom kind, as its definition gives it; published to clients by OpenAPI. */
  readonly openApiSchema?: JsonObject;
  readonly verbs?: readonly Verb[];
  readonly subresources?: readonly Subresource[];
  readonly rules: KindRules;
  readonly columns: readonly Column[];
  /** Conditions of a Table row, such as that the object is completed. */
  readonly rowConditions?: (object: JsonObject) => readonly JsonObject[];
  /** Sent with every answer: that the kind is deprecated, and what to use instead. */
  readonly warning?: string;
  /** Objects that are generated for each answer, and never stored. May throw a StatusError. */
  readonly made?: (scope: MadeScope) => readonly JsonObject[] | Promise<readonly JsonObject[]>;
  /** Two kinds may serve the same stored objects, such as the events of two groups. */
  readonly storedAs?: StoredForm;
}

/** Which generated objects a request is for. */
export interface MadeScope {
  /** Empty: of all namespaces, or of none. */
  readonly namespace: string;
  /** Null: a list. */
  readonly name: string | null;
}

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
  /** It serves another object, derived from the resource's own, such as a Scale. */
  readonly view?: View;
  /** A request to it is forwarded, to a node or to what runs there (connect/). */
  readonly connects?: 'stream' | 'log' | 'proxy';
  /** Changes through it do not raise the generation. */
  readonly keepsGeneration?: true;
  /** The kind of the POST body, where a POST does something (action.ts). */
  readonly body?: KindDefinition;
  /** Its own rules for updates; absent: those of the resource, or of its status. */
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
  /** Throws a StatusError if there is nothing to read yet, though it may be written. */
  readonly checkRead?: (object: JsonObject) => void;
  /** Where the object has the replicas that the view shows, as a path of FieldsV1. */
  readonly replicasPath?: readonly string[];
}

/** The kind under which objects are stored, if it is not the one under which they are served. */
export interface StoredForm {
  readonly definition: KindDefinition;
  readonly fromStored: (stored: JsonObject) => JsonObject;
  readonly toStored: (object: JsonObject) => JsonObject;
}

/** Pure functions: each returns a changed object, or what is wrong with it. */
export interface KindRules {
  /**
   * Fills in defaults. Also applied to what is read from old stores. `old` is there on an update, and is
   * complete: what the object shares with it need not be looked at.
   */
  readonly applyDefaults?: (object: JsonObject, old?: JsonObject) => JsonObject;
  /** On creation: what the server sets itself, such as an empty status. */
  readonly prepareForCreate?: (object: JsonObject) => JsonObject;
  /** On update: what the server keeps from the old object, such as its status. */
  readonly prepareForUpdate?: (object: JsonObject, old: JsonObject) => JsonObject;
  /** An update of an object that is not there creates it. */
  readonly createsOnUpdate?: true;
  /** An update must have a resourceVersion. */
  readonly versionRequired?: true;
  /** Does the change raise the generation? Absent: whenever anything but metadata and status changed. */
  readonly isNewGeneration?: (object: JsonObject, old: JsonObject) => boolean;
  readonly validate?: (object: JsonObject) => readonly FieldError[];
  readonly validateUpdate?: (object: JsonObject, old: JsonObject) => readonly FieldError[];
  /** The same for the status subresource. */
  readonly prepareForStatusUpdate?: (object: JsonObject, old: JsonObject) => JsonObject;
  readonly validateStatusUpdate?: (object: JsonObject, old: JsonObject) => readonly FieldError[];
  /** Sentences for the Warning header, on creation and on an update. */
  readonly warnings?: (object: JsonObject) => readonly string[];
  readonly updateWarnings?: (object: JsonObject, old: JsonObject) => readonly string[];
  /** Field selectors beyond metadata.name and metadata.namespace, with this object's values. */
  readonly selectableFields?: (object: JsonObject) => Readonly<Record<string, string>>;
  /** Which names objects of this kind may have; absent: a DNS subdomain. */
  readonly checkName?: (name: string) => readonly string[];
  /** Why this object may not be deleted; absent or undefined: it may. */
  readonly refuseDeletion?: (object: JsonObject) => string | undefined;
  /** Changes beyond metadata that a pending deletion shows. */
  readonly prepareForDeletion?: (object: JsonObject, nowMs: number) => JsonObject;
  /** Does anything beyond metadata.finalizers keep a deleted object in the store? */
  readonly isHeld?: (object: JsonObject) => boolean;
  /** A deletion without a propagation policy leaves the dependents; absent: the garbage collector removes them. */
  readonly orphansByDefault?: true;
  /** The sentence for the Warning header of a deletion without a propagation policy. */
  readonly orphansWarning?: string;
  /** Seconds that a deletion waits for the kubelet; absent: it is immediate. */
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

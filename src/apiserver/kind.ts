/**
 * A kind that the API server serves, as a definition: what it is called, which shape it has, and the
 * few rules that are its own. Everything else is the same for all kinds and lives in the registry.
 */
import type { StructType } from '../api/schema/shape.ts';
import type { JsonObject } from '../lib/json.ts';
import type { FieldError } from './field-error.ts';

export interface KindDefinition {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** What a list of them is called; absent: the kind with `List` behind it. */
  readonly listKind?: string;
  /** The plural in paths, such as `pods`. */
  readonly resource: string;
  readonly singular: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly namespaced: boolean;
  /** The shape of a built-in kind; absent for custom ones, whose rules bring their own. */
  readonly type?: StructType;
  /** The structural schema of a custom kind, as its definition gives it; told to clients by OpenAPI. */
  readonly openApiSchema?: JsonObject;
  readonly verbs?: readonly Verb[];
  readonly subresources?: readonly Subresource[];
  readonly rules: KindRules;
  readonly columns: readonly Column[];
  /** What a row of a Table says of its object beyond its cells, such as that it is completed. */
  readonly rowConditions?: (object: JsonObject) => readonly JsonObject[];
  /** What every answer warns of: that the kind will go, and what to use instead. */
  readonly warning?: string;
  /** Objects that are made up for each answer, and never stored. */
  readonly made?: () => readonly JsonObject[];
  /** Two kinds may be two sights of the same objects, such as the events of two groups. */
  readonly storedAs?: StoredForm;
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
  /** It shows another object than the resource's own, made from it, such as a Scale. */
  readonly view?: View;
  /** A request to it is handed on, to a node or to what runs there (connect/). */
  readonly connects?: 'stream' | 'log' | 'proxy';
  /** Changes through it are no new generation. */
  readonly keepsGeneration?: true;
  /** What is posted to it, where a POST does something (action.ts). */
  readonly body?: KindDefinition;
  /** Rules of its own for updates; absent: those of the resource, or of its status. */
  readonly prepareForUpdate?: (object: JsonObject, old: JsonObject) => JsonObject;
  readonly validateUpdate?: (object: JsonObject, old: JsonObject) => readonly FieldError[];
}

/** Another object that stands for a part of one, and can be written back into it. */
export interface View {
  /** What the other object is. It is never stored. */
  readonly definition: KindDefinition;
  /** Both may throw a StatusError if the object has no such part, or cannot take it. */
  readonly read: (object: JsonObject) => JsonObject;
  readonly write: (object: JsonObject, view: JsonObject) => JsonObject;
  /** Throws a StatusError if there is nothing to see yet, though something may be written. */
  readonly checkRead?: (object: JsonObject) => void;
}

/** The kind under which objects are kept, if it is not the one under which they are served. */
export interface StoredForm {
  readonly definition: KindDefinition;
  readonly fromStored: (stored: JsonObject) => JsonObject;
  readonly toStored: (object: JsonObject) => JsonObject;
}

/** Pure: each takes an object and gives another, or says what is wrong. */
export interface KindRules {
  /**
   * Fills in what users may leave out. Also applied to what is read from old stores. `old` is there
   * on an update, and is complete: what the object shares with it need not be looked at.
   */
  readonly applyDefaults?: (object: JsonObject, old?: JsonObject) => JsonObject;
  /** On creation: what the server sets itself, such as an empty status. */
  readonly prepareForCreate?: (object: JsonObject) => JsonObject;
  /** On update: what the server keeps from the old object, such as its status. */
  readonly prepareForUpdate?: (object: JsonObject, old: JsonObject) => JsonObject;
  /** An update of an object that is not there creates it. */
  readonly createsOnUpdate?: true;
  /** An update must say which version of the object it is made from. */
  readonly versionRequired?: true;
  /** Is it a new generation? The default: whenever anything but metadata and status changed. */
  readonly isNewGeneration?: (object: JsonObject, old: JsonObject) => boolean;
  readonly validate?: (object: JsonObject) => readonly FieldError[];
  readonly validateUpdate?: (object: JsonObject, old: JsonObject) => readonly FieldError[];
  /** The same for the status subresource. */
  readonly prepareForStatusUpdate?: (object: JsonObject, old: JsonObject) => JsonObject;
  readonly validateStatusUpdate?: (object: JsonObject, old: JsonObject) => readonly FieldError[];
  /** Sentences for the Warning header. */
  readonly warnings?: (object: JsonObject) => readonly string[];
  /** Field selectors beyond metadata.name and metadata.namespace, with this object's values. */
  readonly selectableFields?: (object: JsonObject) => Readonly<Record<string, string>>;
  /** What names objects of this kind may have; the default is a DNS subdomain. */
  readonly checkName?: (name: string) => readonly string[];
  /** Why this object may not be deleted; absent or undefined: it may. */
  readonly refuseDeletion?: (object: JsonObject) => string | undefined;
  /** What a deletion that has to wait leaves visible beyond metadata. */
  readonly prepareForDeletion?: (object: JsonObject, nowMs: number) => JsonObject;
  /** Does anything beyond metadata.finalizers keep a deleted object in the store? */
  readonly isHeld?: (object: JsonObject) => boolean;
  /** Seconds that a deletion waits for the kubelet; absent: it happens at once. */
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
  readonly cell: (object: JsonObject, nowMs: number) => string | number | boolean | null;
}

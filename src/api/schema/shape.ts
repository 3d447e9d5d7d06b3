/**
 * Describes Kubernetes' types for programs: their fields with type, protobuf number, patch strategy, and
 * whether they are required.
 *
 *     StructType ──fields──> Field ──shape──> Shape ──(struct)──> StructType
 *
 * `schema.ts` reads shapes from the generated table. Code that works on objects of any kind (patches,
 * equality, validation, protobuf, OpenAPI) takes a `StructType` and contains nothing specific to one kind.
 */

/** A type's name in the table: package and Go name, such as `core/v1.PodStatus`. */
export type TypeName = string;

export type Scalar =
  | 'string'
  | 'bool'
  | 'int32'
  | 'int64'
  | 'uint32'
  | 'uint64'
  | 'float'
  | 'double'
  | 'bytes';

/** Types whose JSON form differs from their Go fields. */
export type Special =
  | 'Quantity'
  | 'Time'
  | 'MicroTime'
  | 'Duration'
  | 'IntOrString'
  | 'RawExtension'
  | 'FieldsV1'
  | 'JSON'
  | 'JSONSchemaPropsOrBool'
  | 'JSONSchemaPropsOrArray'
  | 'JSONSchemaPropsOrStringArray';

export type Shape =
  | { readonly kind: 'scalar'; readonly scalar: Scalar; readonly enum?: readonly string[] }
  | { readonly kind: 'special'; readonly special: Special }
  | {
      readonly kind: 'list';
      readonly item: Shape;
      /** In protobuf the list is a message, with the items in its field 1 (Verbs, ExtraValue). */
      readonly wrapped?: true;
    }
  | { readonly kind: 'map'; readonly value: Shape }
  | { readonly kind: 'struct'; readonly name: TypeName; readonly type: StructType };

export type PatchStrategy = 'merge' | 'replace' | 'retainKeys';
export type ListType = 'atomic' | 'set' | 'map';

export interface Field {
  /** The name in JSON. An inlined message has no name in JSON and has that of its protobuf field. */
  readonly name: string;
  /** A message whose fields JSON shows among the parent's. Occurs in `messageFields` only. */
  readonly inlined?: true;
  readonly shape: Shape;
  /**
   * Its protobuf number in the message that declares it (for a field of an inlined struct, in that struct's
   * message). Absent: it is not in protobuf (apiVersion and kind).
   */
  readonly number?: number;
  /** A pointer in Go: absent and zero are different values. */
  readonly pointer: boolean;
  /** JSON omits the field when it is empty. */
  readonly omitEmpty: boolean;
  readonly required: boolean;
  readonly patchStrategies: readonly PatchStrategy[];
  readonly mergeKey?: string;
  readonly listType?: ListType;
  readonly listMapKeys?: readonly string[];
  /** A map or struct that server-side apply treats as one value, declared here or by its type. */
  readonly atomic?: boolean;
  readonly default?: unknown;
}

export interface StructType {
  readonly name: TypeName;
  /** Server-side apply treats values of this type as one, in every field. */
  readonly atomic?: boolean;
  /** The fields as JSON shows them, including those of inlined structs. */
  readonly fields: readonly Field[];
  /** Finds a field by its JSON name. */
  field(name: string): Field | undefined;
  /**
   * The fields as protobuf has them, by number: an inlined struct is a message in a field, and fields
   * without a number are left out.
   */
  readonly messageFields: readonly Field[];
}

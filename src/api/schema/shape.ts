/**
 * The shape of a Kubernetes type, as far as programs need it: which fields it has, of what type, their
 * encoding in protobuf, how they merge in a patch, and which of them are required.
 *
 *     StructType ──fields──> Field ──shape──> Shape ──(struct)──> StructType
 *
 * `schema.ts` reads shapes from the generated table. Code that works on objects of any kind (patches,
 * equality, validation, protobuf, OpenAPI) takes a `StructType` and knows nothing about pods.
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

/** Types whose wire form differs from their Go fields. */
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
  /** The name in JSON. An inlined message has none there and is named for its protobuf field. */
  readonly name: string;
  /** A message whose fields JSON shows among those around it. Found in `messageFields` only. */
  readonly inlined?: true;
  readonly shape: Shape;
  /**
   * Its number in protobuf, in the message that declares it: that of an inlined struct, for its
   * fields. Absent: it is not in protobuf (apiVersion and kind).
   */
  readonly number?: number;
  /** Absent and zero are two different values (a pointer in Go). */
  readonly pointer: boolean;
  /** JSON leaves it out when it is empty. */
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
  /** The fields as JSON shows them: those of inlined structs are among the others. */
  readonly fields: readonly Field[];
  /** Looks a field up by its JSON name. */
  field(name: string): Field | undefined;
  /**
   * The fields as protobuf has them, by number: an inlined struct is a message in a field, and fields
   * without a number are left out.
   */
  readonly messageFields: readonly Field[];
}

/**
 * The types of the output of facts.go, the Go program beside this file, which prints facts about Go source.
 */

export interface Package {
  readonly path: string;
  readonly markers: readonly string[];
  readonly types: readonly GoType[];
  readonly constants: readonly Constant[];
  readonly groupVersions: readonly GroupVersion[];
  readonly registrations: readonly Registration[];
}

export interface GoType {
  readonly name: string;
  readonly alias: boolean;
  readonly markers: readonly string[];
  readonly distantMarkers: readonly string[];
  readonly is: Expr;
}

/** A type expression: it has exactly one of these members. */
export interface Expr {
  readonly basic?: string;
  /** A named type with its import path, such as `k8s.io/api/core/v1.Pod`. */
  readonly ref?: string;
  readonly pointer?: Expr;
  readonly list?: Expr;
  readonly map?: { readonly key: Expr; readonly value: Expr };
  readonly struct?: { readonly fields: readonly GoField[] };
  readonly other?: string;
}

export interface GoField {
  readonly name: string;
  readonly embedded: boolean;
  readonly tags: {
    readonly json?: string;
    readonly protobuf?: string;
    readonly patchStrategy?: string;
    readonly patchMergeKey?: string;
  };
  readonly markers: readonly string[];
  readonly is: Expr;
}

/** A string: a literal, or a reference to another constant. */
export interface Value {
  readonly text?: string;
  readonly ref?: string;
}

export interface Constant {
  readonly name: string;
  readonly is?: Expr;
  readonly value: Value;
}

export interface GroupVersion {
  readonly name: string;
  readonly group: Value;
  readonly version: Value;
}

interface Registration {
  readonly call: string;
  /** The variable or parameter that holds the group version. Empty: it is neither. */
  readonly into: string;
  readonly types: readonly string[];
}

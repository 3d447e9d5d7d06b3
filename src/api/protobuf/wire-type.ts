/**
 * Defines the wire types of protobuf and its limits. A tag is the field's number, shifted left by three, and
 * its wire type in the low three bits. Kubernetes never writes groups (3 and 4), and podkeep does not read
 * them.
 */
export type WireType = typeof VARINT | typeof FIXED64 | typeof LENGTH | typeof FIXED32;

export const VARINT = 0;
export const FIXED64 = 1;
/** A length, then that many bytes: texts, bytes, messages, packed lists. */
export const LENGTH = 2;
export const FIXED32 = 5;

/** The largest number that protobuf allows a field to have. */
export const FIELD_NUMBER_MAX = 2 ** 29 - 1;

/**
 * Messages are read and written recursively. The limit keeps a message of a few hundred bytes from
 * overflowing the stack. Only schemas in CustomResourceDefinitions can nest without limit, and real ones
 * never come near it.
 */
export const DEPTH_MAX = 200;

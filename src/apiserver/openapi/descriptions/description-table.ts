/** Sentences by type and field; the empty field is the type itself. */
export type DescriptionTable = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Amounts of resources by name: `cpu`, `memory`, `example.com/gpu`. */
export type ResourceList = Readonly<Record<string, string | number>>;

export interface ResourceRequirements {
  readonly requests?: ResourceList;
  readonly limits?: ResourceList;
}

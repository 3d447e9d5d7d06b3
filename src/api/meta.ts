/**
 * The metadata of every Kubernetes object.
 *
 * These types name the fields that podkeep reads or writes. Objects stay as they came over the wire,
 * with fields that are not named here: code that changes an object spreads it into the new one, so nothing is
 * lost.
 */

/** An RFC 3339 instant in UTC with whole seconds, such as `2026-01-02T03:04:05Z`. */
export type Time = string;

export type UID = string;

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: UID;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

export interface ObjectMeta {
  readonly name?: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly uid?: UID;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: Time | null;
  readonly deletionTimestamp?: Time | null;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
}

/**
 * The interface of handlers for POST requests that store no object: binding or evicting a pod, requesting a
 * token, and reviews.
 */
import type { JsonObject } from '../../lib/json.ts';
import type { User } from './access.ts';
import type { KindDefinition } from './kind.ts';

export interface ActionRequest {
  /** The resource whose subresource is called, or the kind of the review. */
  readonly definition: KindDefinition;
  /** Empty: cluster-scoped. */
  readonly namespace: string;
  /** The name of the object in the path. Empty for a review. */
  readonly name: string;
  readonly body: JsonObject;
  readonly user: User;
  readonly dryRun: boolean;
}

export interface ActionAnswer {
  readonly code: number;
  readonly body: JsonObject;
}

/** May throw a StatusError. */
export type Action = (request: ActionRequest) => Promise<ActionAnswer>;

/** By `group/resource` or `group/resource/subresource`; the core group is empty, as in `/pods/binding`. */
export type Actions = ReadonlyMap<string, Action>;

export function actionKey({ group, resource }: KindDefinition, subresource: string | null): string {
  return subresource === null ? `${group}/${resource}` : `${group}/${resource}/${subresource}`;
}

/**
 * The API calls of the status manager: get a pod, patch its status, delete it.
 *
 * Every call either resolves with the API's answer or rejects: with an `ApiError` if the API refused, with
 * any other error if it could not be reached. In the second case the request may or may not have taken
 * effect, so callers send only requests that can be repeated.
 */
import type { Pod } from '../../api/pod.ts';
import { PodkeepError } from '../../lib/errors.ts';
import type { Json } from '../../lib/json.ts';

export interface PodName {
  readonly namespace: string;
  readonly name: string;
}

export interface DeletePreconditions {
  /** Delete this pod only, not one that took its name meanwhile. */
  readonly uid: string;
  readonly gracePeriodSeconds: number;
}

export interface ApiClient {
  getPod(pod: PodName, signal: AbortSignal): Promise<Pod>;
  /** A strategic merge patch of the `status` subresource. */
  patchPodStatus(pod: PodName, patch: Json, signal: AbortSignal): Promise<Pod>;
  deletePod(pod: PodName, conditions: DeletePreconditions, signal: AbortSignal): Promise<void>;
}

export interface StatusCause {
  readonly field?: string;
  readonly reason?: string;
  readonly message?: string;
}

/** A refusal of the API server: a metav1.Status. */
export class ApiError extends PodkeepError {
  /** The HTTP status code. */
  readonly statusCode: number;
  /** The reason of the Status, such as `NotFound`. */
  readonly reason: string;
  readonly causes: readonly StatusCause[];
  readonly retryAfterMs: number | null;

  constructor(answer: {
    readonly statusCode: number;
    readonly reason: string;
    readonly message: string;
    readonly causes?: readonly StatusCause[];
    readonly retryAfterMs?: number | null;
  }) {
    const { statusCode, reason, message, causes = [], retryAfterMs = null } = answer;
    const isPassing = statusCode === 429 || statusCode >= 500;
    const hint = isPassing
      ? 'Podkeep retries automatically. If this persists, check the load and the log of the API server.'
      : 'Check the permissions of this node (RBAC), admission, and the object that the message names.';
    super('API_REFUSED', message, hint, isPassing ? 'backoff' : 'never');
    this.statusCode = statusCode;
    this.reason = reason;
    this.causes = causes;
    this.retryAfterMs = retryAfterMs;
  }
}

export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.statusCode === 404;
}

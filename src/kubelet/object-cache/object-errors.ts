/**
 * The errors for Secrets and ConfigMaps that are not available, with the messages that users see in their
 * pods' statuses.
 */
import { defineError } from '../../lib/errors.ts';
import { ApiError } from '../../ports/api/api-client.ts';

export const objectNotRegistered = defineError<{ namespace: string; name: string }>({
  code: 'OBJECT_NOT_REGISTERED',
  retry: 'backoff',
  message: ({ namespace, name }) =>
    `object ${JSON.stringify(namespace)}/${JSON.stringify(name)} not registered`,
  hint: () => 'No pod of this node refers to it. The pod may have just ended.',
});

export const objectNotSynced = defineError<{ resource: string }>({
  code: 'OBJECT_NOT_SYNCED',
  retry: 'backoff',
  message: ({ resource }) =>
    `failed to sync ${resource} cache: timed out waiting for the condition`,
  hint: () => 'Check that this node reaches the API server, and that it may read the object.',
});

/** The error that the API itself would return. */
export function objectNotFound(resource: string, name: string): ApiError {
  const message = `${resource} ${JSON.stringify(name)} not found`;
  return new ApiError({ statusCode: 404, reason: 'NotFound', message });
}

import { describe, expect, test } from 'vitest';
import { PodkeepError } from '../../lib/errors.ts';
import { ApiError } from './api-client.ts';

function refusal(statusCode: number): ApiError {
  return new ApiError({ statusCode, reason: 'Because', message: 'the API said no' });
}

describe('an error response of the API', () => {
  test('is a PodkeepError, with the reason and the message of the API', () => {
    const error = refusal(409);
    expect(error).toBeInstanceOf(PodkeepError);
    expect(error).toMatchObject({
      code: 'API_REFUSED',
      message: 'the API said no',
      statusCode: 409,
      reason: 'Because',
      causes: [],
      retryAfterMs: null,
    });
  });

  test('keeps causes and the time to retry', () => {
    const causes = [{ field: 'metadata.uid', reason: 'FieldValueInvalid', message: 'immutable' }];
    const error = new ApiError({
      statusCode: 429,
      reason: 'TooManyRequests',
      message: 'slow down',
      causes,
      retryAfterMs: 2000,
    });
    expect(error).toMatchObject({ causes, retryAfterMs: 2000 });
  });

  test.each([
    [400, 'never'],
    [403, 'never'],
    [404, 'never'],
    [409, 'never'],
    [422, 'never'],
    [429, 'backoff'],
    [500, 'backoff'],
    [503, 'backoff'],
  ] as const)('%i alone: retry is %s', (statusCode, retry) => {
    const error = refusal(statusCode);
    expect(error.retry).toBe(retry);
    expect(error.hint).toMatch(retry === 'backoff' ? /retries automatically/ : /RBAC/);
  });
});

import { describe, expect, test } from 'vitest';
import { PodkeepError } from '../lib/errors.ts';
import { ApiError } from './api-client.ts';

function refusal(statusCode: number): ApiError {
  return new ApiError({ statusCode, reason: 'Because', message: 'the API said no' });
}

describe('what the API answered instead', () => {
  test('is one of the errors of the world, with what the API said', () => {
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

  test('keeps causes and the time to come back', () => {
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
  ] as const)('%i by itself: trying again helps is %s', (statusCode, retry) => {
    const error = refusal(statusCode);
    expect(error.retry).toBe(retry);
    expect(error.hint).toMatch(retry === 'backoff' ? /tried again by itself/ : /RBAC/);
  });
});

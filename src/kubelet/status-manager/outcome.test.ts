import { expect, test } from 'vitest';
import { ApiError, type StatusCause } from '../../ports/api/api-client.ts';
import { writeOutcomeOf } from './outcome.ts';

function refusal(
  statusCode: number,
  fields: { readonly causes?: readonly StatusCause[]; readonly retryAfterMs?: number } = {},
): ApiError {
  return new ApiError({ statusCode, reason: 'Because', message: 'no', ...fields });
}

const FAILED = { type: 'failed', retryAfterMs: null };
const OF_UID = [{ field: 'spec' }, { field: 'metadata.uid' }];

test.each<readonly [string, unknown, object]>([
  ['SM-70: 404 means that there is no such pod', refusal(404), { type: 'notFound' }],
  ['SM-74: 409 is a conflict', refusal(409), { type: 'conflict' }],
  ['SM-74: so is a 422 about metadata.uid', refusal(422, { causes: OF_UID }), { type: 'conflict' }],
  ['a 422 about something else is not', refusal(422, { causes: [{ field: 'status' }] }), FAILED],
  ['nor one that names nothing', refusal(422), FAILED],
  ['nor another refusal that names metadata.uid', refusal(400, { causes: OF_UID }), FAILED],
  [
    '429 may say when to come back',
    refusal(429, { retryAfterMs: 7000 }),
    { ...FAILED, retryAfterMs: 7000 },
  ],
  ['and so may 503', refusal(503, { retryAfterMs: 1000 }), { ...FAILED, retryAfterMs: 1000 }],
  ['a broken server', refusal(500), FAILED],
  ['a door that is shut', refusal(403), FAILED],
  ['a broken connection', new Error('socket hang up'), FAILED],
  ['an answer that nobody waited for', new DOMException('aborted', 'AbortError'), FAILED],
  ['something that is no error at all', 'oops', FAILED],
])('%s', (_name, error, outcome) => {
  expect(writeOutcomeOf(error)).toEqual(outcome);
});

/**
 * The errors of JSON patches, one code for each HTTP status that the API server answers with.
 *
 *     JSON_PATCH_MALFORMED      it is not a patch                          400
 *     JSON_PATCH_TEST_FAILED    a `test` operation failed                  422
 *     JSON_PATCH_PATH_MISSING   it names a path that does not exist        422
 *     JSON_PATCH_TOO_LARGE      too many operations, or too much copied    413
 *
 * The messages are Kubernetes' own.
 */
import { defineError } from '../../lib/errors.ts';

export const jsonPatchMalformed = defineError<{ reason: string }>({
  code: 'JSON_PATCH_MALFORMED',
  retry: 'never',
  message: ({ reason }) => `error decoding patch: ${reason}`,
  hint: () =>
    'A JSON patch is a list of operations such as ' +
    '{"op": "replace", "path": "/spec/replicas", "value": 2}.',
});

export const jsonPatchTestFailed = defineError<{ path: string }>({
  code: 'JSON_PATCH_TEST_FAILED',
  retry: 'never',
  message: ({ path }) => `testing value ${path} failed: test failed`,
  hint: () => 'Another client changed the object. Read it again and make a new patch.',
});

export const jsonPatchPathMissing = defineError<{ op: string; path: string }>({
  code: 'JSON_PATCH_PATH_MISSING',
  retry: 'never',
  message: ({ op, path }) =>
    `${op} operation does not apply: doc is missing path: ${JSON.stringify(path)}: missing value`,
  hint: ({ path }) =>
    `Every part of ${path} before its last part must exist; add missing parents first. ` +
    `Write a slash inside a key as ~1.`,
});

export const jsonPatchTooLong = defineError<{ count: number; countMax: number }>({
  code: 'JSON_PATCH_TOO_LARGE',
  retry: 'never',
  message: ({ count, countMax }) =>
    `The allowed maximum operations in a JSON patch is ${countMax}, got ${count}`,
  hint: () =>
    'Split the patch into several, or replace the changed part of the object with one operation.',
});

export const jsonPatchCopiesTooMuch = defineError<{ bytesMax: number }>({
  code: 'JSON_PATCH_TOO_LARGE',
  retry: 'never',
  message: ({ bytesMax }) =>
    'Unable to complete the copy, the accumulated size increase of copy is ' +
    `exceeding the limit ${bytesMax}`,
  hint: () => 'Copies of copies double the object each time. Send the values instead.',
});

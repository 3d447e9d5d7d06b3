import { expect, test } from 'vitest';
import type { JsonObject } from '../../../lib/json.ts';
import { ApiError } from '../../../ports/api/api-client.ts';
import { ApiRuntimeClasses } from './api-runtime-classes.ts';

const NEVER = new AbortController().signal;

function harness(answer: () => JsonObject | Error) {
  const paths: string[] = [];
  const classes = new ApiRuntimeClasses({
    send: ({ path }) => {
      paths.push(path);
      const answered = answer();
      return answered instanceof Error ? Promise.reject(answered) : Promise.resolve(answered);
    },
  });
  return { classes, paths };
}

const NOT_FOUND = new ApiError({
  message: 'runtimeclasses.node.k8s.io "gvisor" not found',
  statusCode: 404,
  reason: 'NotFound',
});

test('a class gives the handler that it names', async () => {
  const { classes, paths } = harness(() => ({ handler: 'runsc' }));
  expect(await classes.handlerOf('gvisor', NEVER)).toBe('runsc');
  expect(paths).toEqual(['/apis/node.k8s.io/v1/runtimeclasses/gvisor']);
});

test('a class that does not exist gives the error of the kubelet', async () => {
  const { classes } = harness(() => NOT_FOUND);
  await expect(classes.handlerOf('gvisor', NEVER)).rejects.toThrow(
    'runtimeclass.node.k8s.io "gvisor" not found',
  );
});

test('a known class is used while the API server does not answer, and not once it is deleted', async () => {
  let answer: JsonObject | Error = { handler: 'runsc' };
  const { classes } = harness(() => answer);
  await classes.handlerOf('gvisor', NEVER);
  answer = new Error('connect ECONNREFUSED');
  expect(await classes.handlerOf('gvisor', NEVER)).toBe('runsc');
  answer = NOT_FOUND;
  await expect(classes.handlerOf('gvisor', NEVER)).rejects.toThrow('not found');
  answer = new Error('connect ECONNREFUSED');
  await expect(classes.handlerOf('gvisor', NEVER)).rejects.toThrow(
    'failed to lookup RuntimeClass gvisor: connect ECONNREFUSED',
  );
});

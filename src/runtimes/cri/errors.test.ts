import { expect, test } from 'vitest';
import { callError } from './errors.ts';

const description = 'no space left';

test('failures are shown as every CRI client shows them', () => {
  const { message } = callError({ call: 'RunPodSandbox', status: 'Unknown', description });
  expect(message).toBe('rpc error: code = Unknown desc = no space left');
});

test('failures to create or start a container show the description alone', () => {
  for (const call of ['CreateContainer', 'StartContainer']) {
    const { code, message } = callError({ call, status: 'ResourceExhausted', description });
    expect({ code, message }).toEqual({ code: 'RUNTIME_REFUSED', message: description });
  }
});

test('a failed pull shows its code only if that adds something', () => {
  const messageOf = (status: 'Unknown' | 'Unavailable'): string =>
    callError({ call: 'PullImage', status, description }).message;
  expect(messageOf('Unknown')).toBe(description);
  expect(messageOf('Unavailable')).toBe(`rpc error: code = Unavailable desc = ${description}`);
});

import { describe, expect, test } from 'vitest';
import { defineError, PodkeepError } from './errors.ts';

const socketDead = defineError<{ path: string }>({
  code: 'SOCKET_DEAD',
  retry: 'backoff',
  message: ({ path }) => `no process listens on ${path}`,
  hint: ({ path }) => `Start the runtime, or name its socket: --runtime unix://${path}`,
});

describe('a PodkeepError', () => {
  test('carries its code, one sentence, a hint and whether a retry can help', () => {
    const error = socketDead({ path: '/run/x.sock' });
    expect(error).toBeInstanceOf(PodkeepError);
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({
      name: 'PodkeepError',
      code: 'SOCKET_DEAD',
      message: 'no process listens on /run/x.sock',
      hint: 'Start the runtime, or name its socket: --runtime unix:///run/x.sock',
      retry: 'backoff',
    });
  });

  test('keeps the cause it was given', () => {
    const cause = new Error('ECONNREFUSED');
    expect(socketDead({ path: '/x' }, cause).cause).toBe(cause);
  });

  test('keeps a cause that is not an error, and one that is null', () => {
    expect(socketDead({ path: '/x' }, 'ECONNREFUSED').cause).toBe('ECONNREFUSED');
    expect(socketDead({ path: '/x' }, null).cause).toBeNull();
  });

  test('has no cause property when there was none, so that none is printed', () => {
    expect(Object.hasOwn(socketDead({ path: '/x' }), 'cause')).toBe(false);
  });

  test('is a new object each time, with its own facts', () => {
    const [one, other] = [socketDead({ path: '/a' }), socketDead({ path: '/b' })];
    expect(one).not.toBe(other);
    expect(one.message).not.toBe(other.message);
    expect(one.stack).toContain('no process listens on /a');
  });
});

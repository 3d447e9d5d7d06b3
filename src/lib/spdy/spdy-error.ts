/** The error that ends a SPDY connection whose other side has violated the protocol. */
import { defineError } from '../errors.ts';

export const spdyViolated = defineError<{ what: string }>({
  code: 'SPDY_VIOLATED',
  retry: 'never',
  message: ({ what }) => `the other side does not speak SPDY/3.1: ${what}`,
  hint: () => 'Use kubectl, or a client that speaks WebSocket (v5.channel.k8s.io).',
});

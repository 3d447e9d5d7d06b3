/** Why a port cannot be had, and what to do about it. */
import { defineError, type PodkeepError } from '../../lib/errors.ts';

interface Place {
  readonly host: string;
  readonly port: number;
}

const portTaken = defineError<Place>({
  code: 'PORT_TAKEN',
  retry: 'never',
  message: ({ host, port }) => `another process listens on ${host}:${port} already`,
  hint: () => 'Stop that one, or choose another port with --port (0 takes any that is free).',
});

const portForbidden = defineError<Place>({
  code: 'PORT_FORBIDDEN',
  retry: 'never',
  message: ({ host, port }) => `this user may not listen on ${host}:${port}`,
  hint: () => 'Choose a port above 1023 with --port (0 takes any that is free).',
});

const portUnusable = defineError<Place & { reason: string }>({
  code: 'PORT_UNUSABLE',
  retry: 'never',
  message: ({ host, port, reason }) => `nobody can listen on ${host}:${port}: ${reason}`,
  hint: ({ host }) => `Check that ${host} is an address of this machine.`,
});

export function listenErrorOf(
  error: NodeJS.ErrnoException,
  host: string,
  port: number,
): PodkeepError {
  if (error.code === 'EADDRINUSE') return portTaken({ host, port }, error);
  if (error.code === 'EACCES') return portForbidden({ host, port }, error);
  return portUnusable({ host, port, reason: error.message }, error);
}

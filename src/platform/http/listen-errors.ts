/** The errors of a port on which podkeep cannot listen. */
import { defineError, type PodkeepError } from '../../lib/errors.ts';

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  /** The name of the port's setting: a flag, or a field of a configuration. */
  readonly setting: string;
}

const portTaken = defineError<ListenAddress>({
  code: 'PORT_TAKEN',
  retry: 'never',
  message: ({ host, port }) => `another process listens on ${host}:${port} already`,
  hint: ({ setting }) => `Stop that one, or choose another port with ${setting}.`,
});

const portForbidden = defineError<ListenAddress>({
  code: 'PORT_FORBIDDEN',
  retry: 'never',
  message: ({ host, port }) => `this user may not listen on ${host}:${port}`,
  hint: ({ setting }) => `Choose a port above 1023 with ${setting}.`,
});

const portUnusable = defineError<ListenAddress & { reason: string }>({
  code: 'PORT_UNUSABLE',
  retry: 'never',
  message: ({ host, port, reason }) => `podkeep cannot listen on ${host}:${port}: ${reason}`,
  hint: ({ host }) => `Check that ${host} is an address of this machine.`,
});

export function listenErrorOf(error: NodeJS.ErrnoException, address: ListenAddress): PodkeepError {
  if (error.code === 'EADDRINUSE') return portTaken(address, error);
  if (error.code === 'EACCES') return portForbidden(address, error);
  return portUnusable({ ...address, reason: error.message }, error);
}

/**
 * Builds the options object of a connect request (such as PodExecOptions), which webhooks and policies get as
 * the object of that request.
 */
import type { JsonObject } from '../../lib/json.ts';
import type { Subresource } from '../objects/kind.ts';
import { readQueryFlag } from './pod-backend.ts';

const FLAGS = ['stdin', 'stdout', 'stderr', 'tty'];

export function connectOptions(
  part: Subresource,
  query: URLSearchParams,
  beneath: string | null,
): JsonObject {
  const { kind, version = 'v1' } = part;
  const head = { kind, apiVersion: version };
  if (part.connects === 'proxy') return { ...head, ...(beneath !== null && { path: beneath }) };
  const ports = query.getAll('ports').flatMap((text) => text.split(',').map(Number));
  if (part.name === 'portforward') return { ...head, ...(ports.length > 0 && { ports }) };
  const flags = FLAGS.filter((name) => readQueryFlag(query, name)).map((name) => [name, true]);
  const container = query.get('container') ?? '';
  const command = query.getAll('command');
  return {
    ...head,
    ...Object.fromEntries(flags),
    ...(container !== '' && { container }),
    ...(command.length > 0 && { command }),
  };
}

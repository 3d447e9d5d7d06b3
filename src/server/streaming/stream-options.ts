/**
 * Parses the query of a streaming request. Parameter names and refusals are those of Kubernetes' kubelet, not
 * those of the API (`input`, not `stdin`).
 */
import type { Refusal } from './refusal.ts';

export interface CommandOptions {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

const PORT_MAX = 65_535;
/** The number of a channel is one byte, and a port needs two channels. */
const PORTS_MAX = 127;

export function queryOf(url: string): URLSearchParams {
  const at = url.indexOf('?');
  return new URLSearchParams(at === -1 ? '' : url.slice(at + 1));
}

export function readCommandOptions(query: URLSearchParams): CommandOptions | Refusal {
  const asks = (name: string): boolean => query.get(name) === '1';
  const [tty, stdin, stdout] = [asks('tty'), asks('input'), asks('output')];
  // With a terminal, stderr is part of stdout.
  const stderr = asks('error') && !tty;
  if (stdin || stdout || stderr) return { stdin, stdout, stderr, tty };
  return { code: 400, message: 'you must specify at least 1 of stdin, stdout, stderr' };
}

/** Only WebSockets without a SPDY tunnel name their ports in the query. */
export function readPorts(query: URLSearchParams): readonly number[] | Refusal {
  const given = query.getAll('port');
  if (given.length === 0) return { code: 400, message: 'query parameter "port" is required' };
  if (given.includes('')) return { code: 400, message: 'query parameter "port" cannot be empty' };
  const words = given.flatMap((text) => text.split(','));
  const wrong = words.map(faultOfPort).find((fault) => fault !== null);
  if (wrong) return { code: 400, message: wrong };
  if (words.length > PORTS_MAX)
    return { code: 400, message: `at most ${PORTS_MAX} ports fit into a WebSocket` };
  return words.map(Number);
}

/** Null: the port is valid. */
export function faultOfPort(text: string): string | null {
  const quoted = JSON.stringify(text);
  const problem = !/^\d+$/.test(text)
    ? 'invalid syntax'
    : Number(text) > PORT_MAX
      ? 'value out of range'
      : null;
  if (problem)
    return `unable to parse ${quoted} as a port: strconv.ParseUint: parsing ${quoted}: ${problem}`;
  return Number(text) < 1 ? `port ${quoted} must be > 0` : null;
}

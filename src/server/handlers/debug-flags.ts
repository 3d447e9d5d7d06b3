/** Serves /debug/flags/v, which changes the verbosity of the log at run time, as klog's setter does. */
import type { OwnLog } from '../../ports/observe/own-log.ts';
import type { ApiResponse } from '../../ports/api/http-handler.ts';
import type { Handler } from '../routing.ts';

const VERBOSITY_MAX = 2 ** 31 - 1;
const UINT32_MAX = 2 ** 32 - 1;
const BODY_BYTES_MAX = 64;
const NOSNIFF = [
  ['content-type', 'text/plain'],
  ['x-content-type-options', 'nosniff'],
] as const;

export function verbosityHandler(ownLog: OwnLog): Handler {
  return async ({ request }) => {
    if (request.method !== 'PUT') return plain(406, 'unsupported http method');
    const value = await readBody(request.body);
    if (value === null)
      return plain(400, 'error reading request body: http: request body too large');
    const fault = faultOf(value);
    if (fault !== null) return plain(400, fault);
    ownLog.setVerbosity(Number(value));
    return plain(200, `successfully set klog.logging.verbosity to ${value}`);
  };
}

/** The error message of Go's strconv. Null: the value is a valid verbosity. */
function faultOf(value: string): string | null {
  const quoted = JSON.stringify(value);
  if (!/^\d+$/.test(value)) return `strconv.ParseUint: parsing ${quoted}: invalid syntax`;
  if (Number(value) > UINT32_MAX) return `strconv.ParseUint: parsing ${quoted}: value out of range`;
  if (Number(value) <= VERBOSITY_MAX) return null;
  const reason = `strconv.ParseInt: parsing ${quoted}: value out of range`;
  return `failed set klog.logging.verbosity ${value}: ${reason}`;
}

/** Null: the body is too long. */
async function readBody(body: AsyncIterable<Uint8Array> | null): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function plain(status: number, body: string): ApiResponse {
  return { status, headers: NOSNIFF, body };
}

/** Offers the headers that Node.js has parsed with the interface of the fetch standard. */
import type { ApiHeaders } from '../../ports/api/http-handler.ts';

type NodeHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export class ListenerHeaders implements ApiHeaders {
  readonly #headers: NodeHeaders;

  constructor(headers: NodeHeaders) {
    this.#headers = headers;
  }

  get(name: string): string | null {
    const key = name.toLowerCase();
    // A client may send a header with the name of a member of Object.prototype.
    if (!Object.hasOwn(this.#headers, key)) return null;
    return joined(this.#headers[key]);
  }

  *[Symbol.iterator](): Generator<readonly [string, string]> {
    for (const [name, value] of Object.entries(this.#headers)) {
      const text = joined(value);
      // In HTTP/2, method and path are pseudo-headers, whose names begin with a colon.
      if (text !== null && !name.startsWith(':')) yield [name, text];
    }
  }
}

function joined(value: string | readonly string[] | undefined): string | null {
  if (value === undefined) return null;
  return typeof value === 'string' ? value : value.join(', ');
}

/**
 * The absolute URL of the request. Null: it is invalid. The client chooses the host, so the host must not be
 * able to change the path.
 */
export function addressOf(host: string | undefined, target: string): string | null {
  if (/^https?:\/\//i.test(target)) return target; // the absolute form, as sent to a proxy
  if (host === undefined || /[\s/?#@\\]/.test(host)) return null;
  return target.startsWith('/') ? `https://${host}${target}` : null;
}

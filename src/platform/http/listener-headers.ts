/** The headers of a request as Node parsed them, read as in the fetch standard. */
import type { ApiHeaders } from '../../ports/api/http-handler.ts';

type NodeHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export class ListenerHeaders implements ApiHeaders {
  readonly #headers: NodeHeaders;

  constructor(headers: NodeHeaders) {
    this.#headers = headers;
  }

  get(name: string): string | null {
    const key = name.toLowerCase();
    // A client may send a header named like a member of Object.prototype.
    if (!Object.hasOwn(this.#headers, key)) return null;
    return joined(this.#headers[key]);
  }

  *[Symbol.iterator](): Generator<readonly [string, string]> {
    for (const [name, value] of Object.entries(this.#headers)) {
      const text = joined(value);
      // HTTP/2 has the method and the path among the headers, with a colon in front.
      if (text !== null && !name.startsWith(':')) yield [name, text];
    }
  }
}

function joined(value: string | readonly string[] | undefined): string | null {
  if (value === undefined) return null;
  return typeof value === 'string' ? value : value.join(', ');
}

/**
 * The absolute URL of the request. Null: it is invalid. The client chooses the host, which must not be
 * able to become a part of the path.
 */
export function addressOf(host: string | undefined, target: string): string | null {
  if (/^https?:\/\//i.test(target)) return target; // the absolute form, as sent to a proxy
  if (host === undefined || /[\s/?#@\\]/.test(host)) return null;
  return target.startsWith('/') ? `https://${host}${target}` : null;
}

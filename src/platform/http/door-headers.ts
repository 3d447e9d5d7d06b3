/** The headers of a request as Node parsed them, read the way that the fetch standard reads them. */
import type { ApiHeaders } from '../../ports/http-handler.ts';

type NodeHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export class DoorHeaders implements ApiHeaders {
  readonly #headers: NodeHeaders;

  constructor(headers: NodeHeaders) {
    this.#headers = headers;
  }

  get(name: string): string | null {
    const key = name.toLowerCase();
    // A client may well send a header that is called like a member of Object.prototype.
    if (!Object.hasOwn(this.#headers, key)) return null;
    return joined(this.#headers[key]);
  }

  *[Symbol.iterator](): Generator<readonly [string, string]> {
    for (const [name, value] of Object.entries(this.#headers)) {
      const text = joined(value);
      // HTTP/2 puts the method and the path among the headers, behind a colon.
      if (text !== null && !name.startsWith(':')) yield [name, text];
    }
  }
}

function joined(value: string | readonly string[] | undefined): string | null {
  if (value === undefined) return null;
  return typeof value === 'string' ? value : value.join(', ');
}

/**
 * The address that was asked for; null: it makes no sense. The host is the client's word, and must not
 * be able to become a part of the path.
 */
export function addressOf(host: string | undefined, target: string): string | null {
  if (/^https?:\/\//i.test(target)) return target; // as a proxy would be asked
  if (host === undefined || /[\s/?#@\\]/.test(host)) return null;
  return target.startsWith('/') ? `https://${host}${target}` : null;
}

/**
 * A registry on the loopback interface that serves our images: enough of OCI's distribution protocol to
 * pull from, over plain HTTP, and with a password if one is set.
 *
 * It counts requests, since a pull that should be the node's only one must be.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MANIFEST_TYPE, type Image, type ImageLayout } from './oci-image.ts';

export interface RegistryOptions {
  readonly layout: ImageLayout;
  /** Without it, every client may pull. */
  readonly credentials?: { readonly username: string; readonly password: string };
}

export class Registry {
  /** How often each manifest was requested by its tag or digest, by any client. */
  readonly asked = new Map<string, number>();
  readonly #options: RegistryOptions;
  readonly #server: Server;
  /** Nothing is answered before this resolves: slow pulls. */
  #gate: Promise<void> = Promise.resolve();

  private constructor(options: RegistryOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async start(options: RegistryOptions): Promise<Registry> {
    const registry = new Registry(options);
    await once(registry.#server.listen(0, '127.0.0.1'), 'listening');
    return registry;
  }

  /** The prefix of its images' names. */
  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Holds all requests until the returned function is called. */
  hold(): () => void {
    let release = (): void => undefined;
    this.#gate = new Promise((resolve) => {
      release = resolve;
    });
    return () => release();
  }

  async stop(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    await this.#gate;
    if (!this.#mayCome(request)) {
      response.setHeader('www-authenticate', 'Basic realm="test"');
      return refuse(response, 401, 'UNAUTHORIZED');
    }
    const { pathname } = new URL(request.url ?? '/', 'http://registry');
    if (pathname === '/v2/') return send(response, 'application/json', Buffer.from('{}'));
    const [, name, kind, reference] =
      /^\/v2\/(.+)\/(manifests|blobs)\/([^/]+)$/.exec(pathname) ?? [];
    if (name === undefined || reference === undefined) return refuse(response, 404, 'UNSUPPORTED');
    if (kind === 'blobs') return this.#sendBlob(response, reference);
    this.asked.set(`${name}:${reference}`, (this.asked.get(`${name}:${reference}`) ?? 0) + 1);
    return this.#sendManifest(request, response, name, reference);
  }

  #mayCome({ headers }: IncomingMessage): boolean {
    const { credentials } = this.#options;
    if (!credentials) return true;
    const pair = Buffer.from(`${credentials.username}:${credentials.password}`);
    return headers.authorization === `Basic ${pair.toString('base64')}`;
  }

  #sendBlob(response: ServerResponse, digest: string): void {
    if (!/^sha256:[0-9a-f]{64}$/.test(digest)) return refuse(response, 404, 'BLOB_UNKNOWN');
    send(response, 'application/octet-stream', this.#options.layout.blob(digest));
  }

  #sendManifest(
    { method }: IncomingMessage,
    response: ServerResponse,
    name: string,
    reference: string,
  ): void {
    const image = this.#find(name, reference);
    if (!image) return refuse(response, 404, 'MANIFEST_UNKNOWN');
    const { digest, size } = image.manifest;
    response.setHeader('docker-content-digest', digest);
    if (method === 'HEAD') {
      response.writeHead(200, { 'content-type': MANIFEST_TYPE, 'content-length': size }).end();
    } else send(response, MANIFEST_TYPE, this.#options.layout.blob(digest));
  }

  /** An image is served under the last part of each of its names, in whatever folder. */
  #find(name: string, reference: string): Image | undefined {
    return this.#options.layout.images.find(({ names, manifest }) =>
      names.some((full) => {
        const [, image, tag] = /([^/]+):([^:/]+)$/.exec(full) ?? [];
        return (
          image === name.split('/').at(-1) && (tag === reference || manifest.digest === reference)
        );
      }),
    );
  }
}

function send(response: ServerResponse, type: string, content: Buffer): void {
  response.writeHead(200, { 'content-type': type, 'content-length': content.length }).end(content);
}

function refuse(response: ServerResponse, code: number, word: string): void {
  const body = JSON.stringify({ errors: [{ code: word, message: word.toLowerCase() }] });
  response.writeHead(code, { 'content-type': 'application/json' }).end(body);
}

/**
 * Publishes, once the server serves requests, the APIServices of its own APIs, and the ConfigMap by which
 * aggregated API servers recognize it. No start waits for this, and after the first start there is usually
 * nothing to write.
 */
import type { Cancel } from '../../ports/clock.ts';
import {
  AUTHENTICATION_CONFIG_KEY,
  publishAuthenticationConfig,
} from '../bootstrap/authentication-config.ts';
import type { ServerParts } from '../registry/server-parts.ts';
import type { FrontProxy, OpenFrontProxy } from './front-proxy.ts';
import { RegistrationController } from './registration-controller.ts';

export interface LocalApisOptions {
  /** PEM of the authority that signs the certificates of users. */
  readonly clientCa: string;
  readonly frontProxy: OpenFrontProxy | undefined;
}

export class LocalApis {
  readonly #parts: ServerParts;
  readonly #options: LocalApisOptions;
  #cancel: Cancel = () => {};
  #registration: RegistrationController | undefined;
  #publishing: Promise<void> = Promise.resolve();
  #leave: () => void = () => {};

  constructor(parts: ServerParts, options: LocalApisOptions) {
    this.#parts = parts;
    this.#options = options;
  }

  begin(): void {
    this.#cancel = this.#parts.clock.after(0, () => {
      this.#registration = new RegistrationController(this.#parts);
      this.#publishing = this.#publish();
      const { store } = this.#parts;
      this.#leave = store.watch(AUTHENTICATION_CONFIG_KEY, store.revision, ({ type, key }) => {
        if (type !== 'delete' || key !== AUTHENTICATION_CONFIG_KEY) return;
        this.#publishing = this.#publishing.then(() => this.#publish());
      });
    });
  }

  async stop(): Promise<void> {
    this.#cancel();
    this.#leave();
    await this.#registration?.stop();
    await this.#publishing;
  }

  /** Never rejects: without the ConfigMap only aggregated API servers do not work. */
  async #publish(): Promise<void> {
    const { clientCa } = this.#options;
    try {
      const proxy = await this.#open();
      await publishAuthenticationConfig(this.#parts, {
        clientCa,
        frontProxyCa: proxy?.caCert ?? null,
        allowedNames: proxy ? [proxy.name] : [],
      });
    } catch (error) {
      this.#parts.log.error('failed to publish extension-apiserver-authentication', { error });
    }
  }

  async #open(): Promise<FrontProxy | null> {
    try {
      return (await this.#options.frontProxy?.()) ?? null;
    } catch (error) {
      this.#parts.log.error('failed to open the front proxy certificate', { error });
      return null;
    }
  }
}

/**
 * The front proxy of `podkeep up`. Its certificate is read, or created, once the server serves requests, and
 * its dialer is loaded with the first request to another API server: a start waits for neither.
 */
import type { FrontProxy, OpenFrontProxy } from '../../apiserver/aggregation/front-proxy.ts';
import { FRONT_PROXY_CLIENT, type PkiOptions } from '../../apiserver/pki/pki.ts';
import type { HttpsApiServerDialer } from '../../client/api-server-dialer.ts';
import type { ClosingList } from '../closing-list.ts';

/** `folder`: of the keys. */
export function frontProxyOf(
  folder: string,
  options: Pick<PkiOptions, 'clock' | 'random'>,
  closing: ClosingList,
): OpenFrontProxy {
  let opened: Promise<FrontProxy> | undefined;
  let dialer: Promise<HttpsApiServerDialer> | undefined;
  closing.add(async () => (await dialer)?.close());
  const open = async (): Promise<FrontProxy> => {
    const { openFrontProxyFolder } = await import('./front-proxy-folder.ts');
    const { caCert, cert, key } = await openFrontProxyFolder(folder, options);
    const load = async (): Promise<HttpsApiServerDialer> => {
      const { createApiServerDialer } = await import('../../client/api-server-dialer.ts');
      return createApiServerDialer({ cert, key });
    };
    const { commonName: name } = FRONT_PROXY_CLIENT;
    return { caCert, name, dialer: () => (dialer ??= load()) };
  };
  return () => (opened ??= open());
}

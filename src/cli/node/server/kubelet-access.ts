/** Authentication and authorization of the kubelet's server, as configured. */
import { userOfCertificate } from '../../../apiserver/auth/certificate-user.ts';
import { systemClock as clock } from '../../../platform/system-clock.ts';
import type { User } from '../../../ports/api/http-handler.ts';
import type { KubeApi } from '../../../ports/api/kube-api.ts';
import type { KubeletAccess } from '../../../ports/api/kubelet-access.ts';
import { ReviewAccess } from '../../../server/auth/review-access.ts';
import type { KubeletConfig } from '../../config/kubelet-config.ts';

/**
 * The client of a listener without authentication (plain-listeners.ts). It is recognized by object
 * identity, which no certificate and no token can produce.
 */
export const LOCAL_READER: User = { name: 'podkeep:reader', groups: [] };

export function kubeletAccess(
  api: KubeApi,
  { authentication, authorization }: KubeletConfig,
): KubeletAccess {
  const access = new ReviewAccess({
    clock,
    api,
    certificateUser: userOfCertificate,
    allowsAnonymous: authentication.anonymous.enabled,
    tokenMs: authentication.webhook.cacheTTLMs,
    authorizedMs: authorization.webhook.cacheAuthorizedTTLMs,
    unauthorizedMs: authorization.webhook.cacheUnauthorizedTTLMs,
  });
  const takesTokens = authentication.webhook.enabled;
  const allowsAll = authorization.mode === 'AlwaysAllow';
  return {
    // Without a webhook a token authenticates no client, as with the kubelet.
    identify: (clientIdentity, token) =>
      access.identify(clientIdentity, takesTokens ? token : null),
    authorize: (user, attributes) =>
      allowsAll || user === LOCAL_READER
        ? Promise.resolve({ allowed: true, reason: '' })
        : access.authorize(user, attributes),
  };
}

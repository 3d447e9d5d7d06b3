/** Builds authentication and authorization of the kubelet's server from the configuration. */
import { userOfCertificate } from '../../../apiserver/auth/certificate-user.ts';
import { systemClock as clock } from '../../../platform/system-clock.ts';
import type { User } from '../../../ports/api/http-handler.ts';
import type { KubeApi } from '../../../ports/api/kube-api.ts';
import type { KubeletAccess } from '../../../ports/api/kubelet-access.ts';
import { ReviewAccess } from '../../../server/auth/review-access.ts';
import type { KubeletConfig } from '../../config/kubelet-config.ts';

/**
 * The user of clients of the listeners without authentication (plain-listeners.ts). Code compares it by
 * object identity, so that no certificate and no token can yield this user.
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
    // As in the kubelet, tokens are accepted only if the webhook is enabled.
    identify: (clientIdentity, token) =>
      access.identify(clientIdentity, takesTokens ? token : null),
    authorize: (user, attributes) =>
      allowsAll || user === LOCAL_READER
        ? Promise.resolve({ allowed: true, reason: '' })
        : access.authorize(user, attributes),
  };
}

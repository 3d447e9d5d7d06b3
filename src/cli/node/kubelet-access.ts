/** Who may ask the kubelet's own server, by what the configuration says. */
import { userOfCertificate } from '../../apiserver/auth/certificate-user.ts';
import { systemClock as clock } from '../../platform/system-clock.ts';
import type { User } from '../../ports/http-handler.ts';
import type { KubeApi } from '../../ports/kube-api.ts';
import type { KubeletAccess } from '../../ports/kubelet-access.ts';
import { ReviewAccess } from '../../server/auth/review-access.ts';
import type { KubeletConfig } from '../config/kubelet-config.ts';

/**
 * Whoever comes to a door at which nobody is asked who they are (plain-doors.ts). It counts by being this
 * very object, which no certificate and no token can bring about.
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
    // A token that nobody looks at is none, as with the kubelet.
    identify: (clientIdentity, token) =>
      access.identify(clientIdentity, takesTokens ? token : null),
    authorize: (user, attributes) =>
      allowsAll || user === LOCAL_READER
        ? Promise.resolve({ allowed: true, reason: '' })
        : access.authorize(user, attributes),
  };
}

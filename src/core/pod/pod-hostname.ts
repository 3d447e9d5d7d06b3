/**
 * Computes the host name of a pod: its name, or the hostname in its spec. As in Kubernetes' kubelet, a host
 * name is cut to 63 characters, and a fully qualified domain name of more than 64 characters (the limit of
 * Linux) is refused.
 */
import type { Pod } from '../../api/pod.ts';
import { defineError } from '../../lib/errors.ts';
import { podReferenceOf, runSpecOf } from '../../api/run-spec.ts';

const HOSTNAME_LENGTH_MAX = 63;
const FQDN_LENGTH_MAX = 64;

export const hostnameTooLong = defineError<{ fqdn: string }>({
  code: 'HOSTNAME_TOO_LONG',
  retry: 'never',
  message: ({ fqdn }) =>
    `failed to construct FQDN from pod hostname and cluster domain, FQDN ${fqdn} is too long ` +
    `(64 characters is the max, ${fqdn.length} characters requested)`,
  hint: () => 'Shorten the hostname or the subdomain of the pod, or remove setHostnameAsFQDN.',
});

export function podHostname(pod: Pod, clusterDomain: string): string {
  const { hostname, subdomain, hostnameOverride, setHostnameAsFQDN } = runSpecOf(pod);
  const { name, namespace } = podReferenceOf(pod);
  if (hostnameOverride) return cutHostname(hostnameOverride);
  const short = cutHostname(hostname || name);
  if (!setHostnameAsFQDN || !subdomain) return short;
  const fqdn = `${short}.${subdomain}.${namespace}.svc.${clusterDomain}`;
  if (fqdn.length > FQDN_LENGTH_MAX) throw hostnameTooLong({ fqdn });
  return fqdn;
}

/** A name must not end in a dash or a dot after it was cut. */
function cutHostname(name: string): string {
  return name.slice(0, HOSTNAME_LENGTH_MAX).replace(/[-.]+$/, '');
}

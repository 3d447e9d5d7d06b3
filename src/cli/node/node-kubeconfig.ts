/**
 * Writes the kubeconfig of a node that has joined: the server of the bootstrap kubeconfig, with the node's
 * client certificate.
 */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { ClusterAccess } from '../../client/kubeconfig/cluster-access.ts';
import { writeDurably } from '../../kubelet/certificates/certificate-store.ts';
import { reasonOf } from '../../kubelet/certificates/certificate-errors.ts';
import { defineError } from '../../lib/errors.ts';

const kubeconfigNotWritten = defineError<{ file: string; reason: string }>({
  code: 'KUBECONFIG_NOT_WRITTEN',
  retry: 'never',
  message: ({ file, reason }) => `the kubeconfig ${file} could not be written: ${reason}`,
  hint: () => 'Check that this user may write there. The next start uses the same certificate.',
});

/** `pemFile` holds certificate and key. Throws KUBECONFIG_NOT_WRITTEN. */
export async function writeNodeKubeconfig(
  file: string,
  access: ClusterAccess,
  pemFile: string,
): Promise<void> {
  const { stringify } = await import('yaml');
  const content = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'default-cluster', cluster: clusterOf(access) }],
    contexts: [
      {
        name: 'default-context',
        context: { cluster: 'default-cluster', namespace: 'default', user: 'default-auth' },
      },
    ],
    'current-context': 'default-context',
    users: [
      { name: 'default-auth', user: { 'client-certificate': pemFile, 'client-key': pemFile } },
    ],
  };
  try {
    await mkdir(path.dirname(file), { recursive: true });
    await writeDurably(file, stringify(content));
  } catch (error) {
    throw kubeconfigNotWritten({ file, reason: reasonOf(error) }, error);
  }
}

function clusterOf(access: ClusterAccess): Readonly<Record<string, string | boolean>> {
  const { server, ca, caFile, serverName, proxyUrl, insecureSkipTlsVerify } = access;
  return {
    server,
    ...(caFile !== undefined
      ? { 'certificate-authority': caFile }
      : ca !== undefined && {
          'certificate-authority-data': Buffer.from(ca).toString('base64'),
        }),
    ...(serverName !== undefined && { 'tls-server-name': serverName }),
    ...(proxyUrl !== undefined && { 'proxy-url': proxyUrl }),
    ...(insecureSkipTlsVerify && { 'insecure-skip-tls-verify': true }),
  };
}

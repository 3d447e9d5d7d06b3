import { expect, test } from 'vitest';
import { readSigningRequest } from '../../../lib/x509/signing-request.ts';
import {
  makeCertificateRequest,
  type RequestedName,
} from '../../../../test/support/certificate-requests.ts';
import { checkSignerRules } from './signer-rules.ts';

const NODE: RequestedName = { commonName: 'system:node:n1', organizations: ['system:nodes'] };
const SERVED = { ...NODE, dnsNames: ['n1'], addresses: ['10.0.0.7'] };
const CLIENT_USES = ['digital signature', 'client auth'];
const SERVER_USES = ['digital signature', 'key encipherment', 'server auth'];

function check(signer: string, name: RequestedName, usages: readonly string[]): string | null {
  const wanted = readSigningRequest(makeCertificateRequest(name));
  const spec = { signerName: `kubernetes.io/${signer}`, usages: [...usages] };
  return checkSignerRules({ spec }, wanted);
}

const JANE = { commonName: 'jane', organizations: ['dev'] };

test.each([
  ['kube-apiserver-client', JANE, CLIENT_USES, null],
  ['kube-apiserver-client', JANE, ['client auth'], null],
  [
    'kube-apiserver-client',
    JANE,
    ['client auth', 'server auth'],
    'invalid usage for client certificate: server auth',
  ],
  [
    'kube-apiserver-client',
    JANE,
    ['digital signature'],
    'missing required usage for client certificate: client auth',
  ],
  ['kube-apiserver-client-kubelet', NODE, CLIENT_USES, null],
  ['kube-apiserver-client-kubelet', NODE, [...CLIENT_USES, 'key encipherment'], null],
  [
    'kube-apiserver-client-kubelet',
    { ...NODE, organizations: ['system:nodes', 'system:masters'] },
    CLIENT_USES,
    'subject organization is not system:nodes',
  ],
  [
    'kube-apiserver-client-kubelet',
    { ...NODE, commonName: 'jane' },
    CLIENT_USES,
    'subject common name does not begin with system:node:',
  ],
  [
    'kube-apiserver-client-kubelet',
    { ...NODE, dnsNames: ['n1'] },
    CLIENT_USES,
    'DNS subjectAltNames are not allowed',
  ],
  [
    'kube-apiserver-client-kubelet',
    { ...NODE, addresses: ['10.0.0.7'] },
    CLIENT_USES,
    'IP subjectAltNames are not allowed',
  ],
  [
    'kube-apiserver-client-kubelet',
    NODE,
    ['client auth'],
    'usages did not match [client auth digital signature key encipherment]',
  ],
  ['kubelet-serving', SERVED, SERVER_USES, null],
  ['kubelet-serving', NODE, SERVER_USES, 'DNS or IP subjectAltName is required'],
  [
    'kubelet-serving',
    SERVED,
    [...SERVER_USES, 'client auth'],
    'usages did not match [digital signature key encipherment server auth]',
  ],
  ['legacy-unknown', { ...JANE, dnsNames: ['x.example'] }, ['code signing'], null],
  ['other', JANE, CLIENT_USES, 'unrecognized signerName'],
])('%s, for %j with %j: %s', (signer, name, usages, expected) => {
  expect(check(signer, name, usages)).toBe(expected);
});

import { expect, test } from 'vitest';
import { readSigningRequest } from '../../../lib/x509/signing-request.ts';
import {
  makeCertificateRequest,
  type RequestedName,
} from '../../../../test/support/certificate-requests.ts';
import { isUndecided, recognize, requesterOf, withApproval } from './approval.ts';

const CLIENT = 'kubernetes.io/kube-apiserver-client-kubelet';
const SERVING = 'kubernetes.io/kubelet-serving';
const NODE = { commonName: 'system:node:n1', organizations: ['system:nodes'] };
const USAGES = ['digital signature', 'client auth'];

test.each<[string, string, string, RequestedName, readonly string[], readonly string[]]>([
  ['its own', 'system:node:n1', CLIENT, NODE, USAGES, ['selfnodeclient', 'nodeclient']],
  ["another node's", 'system:node:n2', CLIENT, NODE, USAGES, ['nodeclient']],
  ['a bootstrap credential', 'bootstrap', CLIENT, NODE, USAGES, ['nodeclient']],
  ['no user at all', '', CLIENT, NODE, USAGES, ['nodeclient']],
  ['a server certificate', 'system:node:n1', SERVING, { ...NODE, dnsNames: ['n1'] }, USAGES, []],
  ['another signer', 'system:node:n1', 'kubernetes.io/kube-apiserver-client', NODE, USAGES, []],
  ['other usages', 'system:node:n1', CLIENT, NODE, ['client auth', 'server auth'], []],
  [
    'more groups',
    'system:node:n1',
    CLIENT,
    { ...NODE, organizations: ['system:nodes', 'system:masters'] },
    USAGES,
    [],
  ],
  ['no node', 'jane', CLIENT, { ...NODE, commonName: 'jane' }, USAGES, []],
  ['other names', 'system:node:n1', CLIENT, { ...NODE, dnsNames: ['n1'] }, USAGES, []],
])(
  'a request for %s needs these permissions',
  (_, username, signerName, name, usages, expected) => {
    const request = { spec: { username, signerName, usages: [...usages] } };
    const found = recognize(request, readSigningRequest(makeCertificateRequest(name)));
    expect(found.map(({ subresource }) => subresource)).toEqual(expected);
  },
);

test('only a request without decision and certificate is undecided', () => {
  expect(isUndecided({})).toBe(true);
  expect(isUndecided({ status: { conditions: [{ type: 'Odd' }] } })).toBe(true);
  expect(isUndecided({ status: { conditions: [{ type: 'Approved' }] } })).toBe(false);
  expect(isUndecided({ status: { conditions: [{ type: 'Denied' }] } })).toBe(false);
  expect(isUndecided({ status: { certificate: 'eA==' } })).toBe(false);
});

test('the requester is the user that admission recorded', () => {
  const spec = { username: 'u', uid: '7', groups: ['a', 'b'], extra: { k: ['v'] } };
  expect(requesterOf({ spec })).toEqual({
    name: 'u',
    uid: '7',
    groups: ['a', 'b'],
    extra: { k: ['v'] },
  });
  expect(requesterOf({})).toEqual({ name: '', groups: [] });
});

test('an approval is added to the conditions that are there', () => {
  const failed = { type: 'Odd', status: 'True' };
  const request = { status: { conditions: [failed] } };
  expect(withApproval(request, { subresource: 'nodeclient', message: 'm' })).toEqual({
    status: {
      conditions: [
        failed,
        { type: 'Approved', status: 'True', reason: 'AutoApproved', message: 'm' },
      ],
    },
  });
});

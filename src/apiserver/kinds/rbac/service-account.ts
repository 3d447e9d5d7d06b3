/** ServiceAccounts: the identity of a pod towards the API. */
import { plainKind } from '../../objects/plain-kind.ts';

/** The body of a POST to `token`: the audiences of the token, and its lifetime. */
const tokenRequests = plainKind('authentication.k8s.io/v1', {
  kind: 'TokenRequest',
  resource: 'tokenrequests',
  verbs: ['create'],
});

export const serviceAccounts = plainKind('v1', {
  kind: 'ServiceAccount',
  resource: 'serviceaccounts',
  shortNames: ['sa'],
  subresources: [
    {
      name: 'token',
      group: tokenRequests.group,
      version: tokenRequests.version,
      kind: tokenRequests.kind,
      verbs: ['create'],
      body: tokenRequests,
    },
  ],
});

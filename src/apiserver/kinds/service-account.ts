/** ServiceAccounts: who a pod is when it asks the API for something. */
import { plainKind } from './plain-kind.ts';

/** What is posted to `token`: for whom a token is wanted, and for how long. */
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

/** Defines the kind ServiceAccount and its subresource token. */
import { plainKind } from '../../objects/plain-kind.ts';

/** The body of a POST to `token`: the audiences and the lifetime of the token. */
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

/** ServiceAccounts: who a pod is when it asks the API for something. */
import { plainKind } from './plain-kind.ts';

export const serviceAccounts = plainKind('v1', {
  kind: 'ServiceAccount',
  resource: 'serviceaccounts',
  shortNames: ['sa'],
});

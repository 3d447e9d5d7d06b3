/**
 * The server that controllers are tried against: the embedded one, or with PODKEEP_E2E_SERVER=real a
 * kube-apiserver, which shows whether a test expects too much. Beside it run the controllers that the
 * embedded server has built in; more of them do no harm.
 */
import type { RunningApiServer } from './api-server.ts';
import { PodkeepUp } from './podkeep-up.ts';
import { RealApiServer } from './real-api-server.ts';

export function startChosenServer(): Promise<RunningApiServer> {
  return process.env['PODKEEP_E2E_SERVER'] === 'real' ? RealApiServer.start() : PodkeepUp.start();
}

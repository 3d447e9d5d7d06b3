/**
 * podkeep under a supervisor and a service manager, from start to end:
 *
 *     begin ──> the event loop beats ──> started ──> up: restarts are reported ──> stopping ──> end
 *
 * Without either, nothing is sent.
 */
import type { HealthCheck } from '../../lib/health-report.ts';
import { defineError } from '../../lib/errors.ts';
import { systemClock as clock } from '../../platform/system-clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Io } from '../io.ts';
import { reportRestarts, type RestartReportDeps } from './restart-report.ts';
import { ServiceManager, watchdogMsOf } from './service-manager.ts';

export interface SupervisionOptions {
  readonly io: Pick<Io, 'env' | 'supervisor'>;
  readonly log: Log;
  /** What the command line says. Absent: nothing. */
  readonly supervise?: boolean | undefined;
}

const supervisorMissing = defineError<{ reason: string }>({
  code: 'SUPERVISOR_MISSING',
  retry: 'never',
  message: ({ reason }) => `podkeep cannot be supervised: ${reason}`,
  hint: () =>
    'Start podkeep by its own name and not as `node bin/podkeep`, on a machine with Perl; or leave --supervise out.',
});

export class Supervision {
  readonly #options: SupervisionOptions;
  readonly #manager: ServiceManager;
  #checks: readonly HealthCheck[] = [];

  /** Throws SUPERVISOR_MISSING. */
  constructor(options: SupervisionOptions) {
    const { io, log, supervise } = options;
    this.#options = options;
    const { PODKEEP_UNSUPERVISED: obstacle } = io.env;
    if (supervise === true && !io.supervisor) {
      throw supervisorMissing({ reason: obstacle ?? 'it was not started by a supervisor' });
    }
    if (obstacle !== undefined) log.warn('podkeep runs without a supervisor', { reason: obstacle });
    this.#manager = new ServiceManager({
      clock,
      log,
      send: senderOf(io),
      watchdogMs: watchdogMsOf(io.env, process.pid),
      checks: () => this.#checks,
    });
  }

  /** `folder`: where the supervisor writes down its restarts; it exists. */
  begin(folder: string): void {
    const { supervisor } = this.#options.io;
    supervisor?.startBeats();
    supervisor?.useFolder(folder);
  }

  /** For the service manager: podkeep has started. It may still wait for its API server. */
  started(status: string): void {
    this.#manager.ready(status);
  }

  /** For the supervisor: from now on a podkeep that fails is started again. `node` is null: it runs no pods. */
  up(
    status: string,
    node: (RestartReportDeps & { readonly checks: readonly HealthCheck[] }) | null,
  ): void {
    const { supervisor } = this.#options.io;
    this.#checks = node?.checks ?? [];
    supervisor?.ready();
    if (supervisor && node) reportRestarts(supervisor, node);
    this.#manager.status(status);
  }

  stopping(): void {
    this.#manager.stopping();
  }

  end(): void {
    this.#manager.end();
    this.#options.io.supervisor?.stopBeats();
  }
}

function senderOf({ env, supervisor }: SupervisionOptions['io']) {
  if (supervisor) {
    const send = async (text: string): Promise<void> => supervisor.notify(text);
    return supervisor.hasServiceManager ? send : undefined;
  }
  const { NOTIFY_SOCKET: address = '' } = env;
  return address === '' ? undefined : (text: string) => sendByHelper(address, text);
}

async function sendByHelper(address: string, text: string): Promise<void> {
  const { SyscallHelper } = await import('../../lib/syscall-helper/syscall-helper.ts');
  const found = await SyscallHelper.find();
  if (!found.helper) throw new Error(found.obstacle);
  await found.helper.perform([['notify', address, text, process.pid]]);
}

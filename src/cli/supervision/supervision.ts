/**
 * Connects a command to its supervisor and its service manager, from start to end:
 *
 *     begin: send heartbeats ──> started ──> up: report restarts ──> stopping ──> end
 *
 * Without a supervisor and a service manager, nothing is sent.
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
  /** --supervise or --no-supervise. Absent: neither is set. */
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
  /** Null: podkeep is not up, or runs no pods. */
  #checked: { readonly checks: readonly HealthCheck[] } | null = null;

  /** Throws SUPERVISOR_MISSING. */
  constructor(options: SupervisionOptions) {
    const { io, log, supervise } = options;
    this.#options = options;
    const { PODKEEP_UNSUPERVISED: obstacle } = io.env;
    if (supervise === true && !io.supervisor) {
      throw supervisorMissing({ reason: obstacle ?? 'it was not started by a supervisor' });
    }
    if (obstacle !== undefined) log.warn('Podkeep runs without a supervisor', { reason: obstacle });
    this.#manager = new ServiceManager({
      clock,
      log,
      send: senderOf(io),
      watchdogMs: watchdogMsOf(io.env, process.pid),
      checks: () => this.#checked?.checks ?? [],
    });
  }

  /** `folder`: an existing folder in which the supervisor records its restarts. */
  begin(folder: string): void {
    const { supervisor } = this.#options.io;
    supervisor?.startBeats();
    supervisor?.useFolder(folder);
  }

  /** Notifies the service manager that podkeep has started. It may still wait for its API server. */
  started(status: string): void {
    this.#manager.ready(status);
  }

  /** From now on the supervisor restarts podkeep if it fails. `node` null: podkeep runs no pods. */
  up(
    status: string,
    node: (RestartReportDeps & { readonly checks: readonly HealthCheck[] }) | null,
  ): void {
    const { supervisor } = this.#options.io;
    this.#checked = node;
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

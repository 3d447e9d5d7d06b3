/**
 * Watches for shutdowns that systemd-logind announces over D-Bus, and delays them with an inhibitor lock.
 *
 *     connect ──> InhibitDelayMaxSec too short? ──> raise it ──> take the lock ──> watch PrepareForShutdown
 *
 * logind waits for locks no longer than its InhibitDelayMaxSec. If this is shorter than the node needs,
 * podkeep raises it with a configuration file (the one that Kubernetes' kubelet writes), and lets logind
 * reload. If podkeep has no permission for that, it does not give up as Kubernetes' kubelet does: podkeep
 * logs an error and takes the lock anyway, because a shorter delay is better than none.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { defineError } from '../../lib/errors.ts';
import { LogindHelper } from '../../lib/syscall-helper/logind-helper.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { InhibitorSession, ShutdownInhibitor } from '../../ports/shutdown-inhibitor.ts';
import { pause } from '../waiting/pause.ts';

export interface LogindInhibitorOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** In the format of DBUS_SYSTEM_BUS_ADDRESS. Absent: the usual address of the system bus on Linux. */
  readonly address?: string | undefined;
  /** Absent: the usual folder of logind on Linux. */
  readonly configFolder?: string | undefined;
}

const SYSTEM_BUS =
  'unix:path=/run/dbus/system_bus_socket;unix:path=/var/run/dbus/system_bus_socket';
const CONFIG_FOLDER = '/etc/systemd/logind.conf.d';
const CONFIG_FILE = '99-kubelet.conf';
const CONFIG_MODE = 0o644;
const FOLDER_MODE = 0o755;
const MICROSECONDS = 1_000_000;
const POLL_MS = 100;
const POLLS = 5;
const NEVER = new AbortController().signal;

export const shutdownsNotWatched = defineError<{ reason: string }>({
  code: 'SHUTDOWNS_NOT_WATCHED',
  retry: 'backoff',
  message: ({ reason }) => `shutdowns of this machine cannot be watched: ${reason}`,
  hint: () =>
    'Graceful node shutdown is off. It needs systemd-logind on the system bus (D-Bus), Perl, and root; ' +
    'otherwise remove shutdownGracePeriod from the configuration.',
});

export class LogindInhibitor implements ShutdownInhibitor {
  readonly #options: LogindInhibitorOptions;

  constructor(options: LogindInhibitorOptions) {
    this.#options = options;
  }

  async open(delaySeconds: number): Promise<InhibitorSession> {
    const announcements = new Announcements();
    const { address = SYSTEM_BUS } = this.#options;
    const onShutdown = (isShuttingDown: boolean): void => announcements.add(isShuttingDown);
    try {
      const helper = await LogindHelper.start(address, onShutdown);
      try {
        await this.#raiseDelay(helper, delaySeconds);
        await helper.send('inhibit');
        announcements.first((await helper.send('watch')) === '1');
        return sessionOf(helper, announcements);
      } catch (error) {
        helper.end();
        throw error;
      }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw shutdownsNotWatched({ reason }, error);
    }
  }

  async #raiseDelay(helper: LogindHelper, wantedSeconds: number): Promise<void> {
    const { log } = this.#options;
    let seconds = await delayOf(helper);
    if (seconds >= wantedSeconds) return;
    try {
      await this.#writeConfig(wantedSeconds);
      await helper.send('reload');
      seconds = await this.#awaitDelay(helper, wantedSeconds);
      if (seconds >= wantedSeconds) return;
      log.error('Node shutdown manager was unable to update logind InhibitDelayMaxSec', {
        wantedSeconds,
        seconds,
      });
    } catch (error) {
      log.error('Unable to override inhibit delay by shutdown manager', {
        wantedSeconds,
        seconds,
        error,
      });
    }
  }

  /** Writes the same file as the kubelet, so that switching between the two leaves nothing behind. */
  async #writeConfig(seconds: number): Promise<void> {
    const { configFolder: folder = CONFIG_FOLDER } = this.#options;
    await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
    const text = `# Kubelet logind override\n[Login]\nInhibitDelayMaxSec=${seconds}\n`;
    await writeFile(path.join(folder, CONFIG_FILE), text, { mode: CONFIG_MODE });
  }

  /** logind answers the reload before it has read its configuration. */
  async #awaitDelay(helper: LogindHelper, wantedSeconds: number): Promise<number> {
    let seconds = await delayOf(helper);
    for (let tries = 1; tries < POLLS && seconds < wantedSeconds; tries++) {
      await pause(this.#options.clock, POLL_MS * 2 ** (tries - 1), NEVER);
      seconds = await delayOf(helper);
    }
    return seconds;
  }
}

async function delayOf(helper: LogindHelper): Promise<number> {
  return Number(await helper.send('delay')) / MICROSECONDS;
}

function sessionOf(helper: LogindHelper, announcements: Announcements): InhibitorSession {
  return {
    closed: helper.closed,
    follow: (announced) => announcements.follow(announced),
    inhibit: async () => void (await helper.send('inhibit')),
    release: async () => void (await helper.send('release')),
    end: () => {
      announcements.follow(() => {});
      helper.end();
    },
  };
}

/** Keeps announcements until there is a follower. */
class Announcements {
  #waiting: boolean[] = [];
  #announced: ((isShuttingDown: boolean) => void) | null = null;

  /** Sets the current state, which is newer than all announcements before. */
  first(isShuttingDown: boolean): void {
    this.#waiting = [isShuttingDown];
  }

  add(isShuttingDown: boolean): void {
    if (this.#announced) this.#announced(isShuttingDown);
    else this.#waiting.push(isShuttingDown);
  }

  follow(announced: (isShuttingDown: boolean) => void): void {
    this.#announced = announced;
    for (const isShuttingDown of this.#waiting.splice(0)) announced(isShuttingDown);
  }
}

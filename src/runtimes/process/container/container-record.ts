/**
 * Decides a container's record from its configuration and its image: command, environment, user, working
 * directory, stop signal.
 */
import type { ContainerConfig } from '../../../ports/runtime/container-config.ts';
import type { SandboxConfig } from '../../../ports/runtime/sandbox-config.ts';
import { containerNotStarted } from '../errors.ts';
import { logFileOf } from '../layout.ts';
import type { Machine } from '../machine/machine.ts';
import type { ProcessRuntimeOptions, ResolvedImage } from '../options.ts';
import type { ContainerRecord } from './records.ts';
import { decideUser, homeOf, NOBODY } from '../machine/user.ts';

/** The default PATH of containers. It is never the PATH of the user who started podkeep. */
const SEARCH_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

export interface RecordRequest {
  readonly id: string;
  readonly sandboxId: string;
  readonly sandbox: SandboxConfig;
  readonly config: ContainerConfig;
  readonly image: ResolvedImage;
  readonly machine: Machine;
  readonly options: ProcessRuntimeOptions;
}

export function decideRecord(request: RecordRequest): ContainerRecord {
  const { id, sandboxId, sandbox, config, image, machine, options } = request;
  const { defaults, root } = image;
  if (root !== undefined && machine.isolation === 'none') {
    const reason = `its image is a folder, and this machine cannot change roots: ${machine.obstacle}`;
    throw containerNotStarted({ name: config.name, reason });
  }
  const user = decideUser({
    config,
    machine,
    root: root ?? '/',
    imageUser: defaults.user ?? '',
    defaultUser: options.defaultUser ?? NOBODY,
  });
  return {
    id,
    sandboxId,
    podUid: sandbox.podUid,
    config,
    createdAtMs: options.clock.now(),
    logFile: logFileOf(sandbox.logFolder, config.logPath),
    user,
    stopSignal: config.stopSignal || defaults.stopSignal || 'SIGTERM',
    argv: commandOf(config, image),
    env: environmentOf(request, user.uid),
    workingDir: config.workingDir || defaults.workingDir || '/',
    ...(root === undefined ? {} : { imageRoot: root }),
    ...(image.shown && { shown: image.shown }),
    processes: processesOf(sandbox, config),
    cgroups: [],
    setup: setupOf(machine),
  };
}

function processesOf(
  sandbox: SandboxConfig,
  config: ContainerConfig,
): ContainerRecord['processes'] {
  if (config.security.targetContainerId !== undefined) return 'joined';
  if (sandbox.hostPid) return 'host';
  return sandbox.sharesProcesses ? 'joined' : 'own';
}

/** As in Kubernetes: `command` of the spec replaces both the command and the arguments of the image. */
function commandOf(config: ContainerConfig, { defaults }: ResolvedImage): readonly string[] {
  const { command, args, name } = config;
  const own = command.length > 0;
  const inherited = args.length > 0 ? args : (defaults.args ?? []);
  const argv = own ? [...command, ...args] : [...(defaults.command ?? []), ...inherited];
  if (argv.length === 0) throw containerNotStarted({ name, reason: 'no command is given' });
  return argv;
}

function environmentOf(request: RecordRequest, uid: number): ContainerRecord['env'] {
  const { sandbox, config, image, options } = request;
  const env = new Map<string, string>([
    ['PATH', options.path ?? SEARCH_PATH],
    ['HOSTNAME', sandbox.hostname],
    ...Object.entries(image.defaults.env ?? {}),
    ...config.env.map(({ name, value }): [string, string] => [name, value]),
  ]);
  if (!env.has('HOME')) env.set('HOME', homeOf(image.root ?? '/', uid));
  if (config.tty && !env.has('TERM')) env.set('TERM', 'xterm');
  return [...env];
}

export function setupOf({ isolation, helper }: Machine): NonNullable<ContainerRecord['setup']> {
  if (isolation !== 'none') return 'pivot';
  return helper ? 'plain' : 'shell';
}

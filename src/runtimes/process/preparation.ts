/** Gets a container ready to start: makes what it finds, and says how its init is started. */
import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Mount } from '../../ports/runtime/container-config.ts';
import { writeSettings, type GroupSetting } from './cgroups.ts';
import { containerOrder } from './container-order.ts';
import { hasProgram } from './container-record.ts';
import { NOTES_ROOM } from './init-notes.ts';
import { innerChain, outerChain, type Inside } from './launch.ts';
import type { Top } from './machine-tops.ts';
import type { Machine } from './machine.ts';
import { mountLine, readHostMounts, type HostMounts } from './mount-table.ts';
import type { ContainerRecord, SandboxRecord } from './records.ts';
import { makeFolder, makeOutside, makeStandIns, makeTemplate } from './root-folders.ts';
import { planRoot, type RootPlan } from './root-plan.ts';
import { outsideScript, runScript } from './run-script.ts';
import { setupScript, type SetupRequest } from './setup-script.ts';
import type { Launch } from './spawn-init.ts';
import { terminalCommand } from './terminal.ts';

export interface Preparation {
  readonly record: ContainerRecord;
  readonly sandbox: SandboxRecord;
  readonly folder: string;
  readonly machine: Machine;
  readonly initScript: string;
  /** Where the root is put together, each container in its own view. */
  readonly place: string;
  /** Whether somebody can make system calls for us. */
  readonly hasHand: boolean;
  /** Where templates of roots are kept. */
  readonly templates: string;
  readonly nowMs: number;
  readonly tops: () => readonly Top[];
  readonly hostMounts: HostMounts;
  /** Of its control groups, which are made as it starts. */
  readonly groupSettings: readonly GroupSetting[];
  readonly hidden: readonly string[];
  /** Those of the spec, and those that belong to the pod. */
  readonly mounts: readonly Mount[];
  readonly sharedMemory?: string | undefined;
  /** A process whose process namespace the container joins. */
  readonly joinedPid?: number | undefined;
}

/** What the programs before the command find. The command gets nothing of it. */
export const TOOL_ENV = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };

const run = promisify(execFile);
const OWNER_ONLY = { mode: 0o600 };

export async function prepareContainer(preparation: Preparation): Promise<Launch> {
  const { record, folder, machine, place, hasHand } = preparation;
  const file = (name: string): string => path.join(folder, name);
  const plan = machine.isolation === 'none' ? undefined : planOf(preparation);
  if (plan) {
    makeOutside(plan);
    makeFolder(plan.memory);
  } else {
    rmSync(place, { recursive: true, force: true });
    makeStandIns(place, preparation.mounts);
  }
  if (record.config.stdin) await makePipe(machine, file('stdin'));
  const order = plan && hasHand && !record.config.tty && containerOrder(preparation, plan);
  if (!order) writeScripts(preparation, plan);
  writeFileSync(file('state'), NOTES_ROOM, OWNER_ONLY);
  return order ? { kind: 'order', order } : chainOf(preparation, plan);
}

/** What init reads where programs do its work. */
function writeScripts(preparation: Preparation, plan: RootPlan | undefined): void {
  const { folder, templates, record } = preparation;
  for (const group of record.cgroups) mkdirSync(group, { recursive: true });
  writeSettings(preparation.groupSettings);
  const write = (name: string, text: string): void =>
    writeFileSync(path.join(folder, name), text, OWNER_ONLY);
  if (plan) write('mounts', `${plan.table.map(mountLine).join('\n')}\n`);
  const root = plan && { plan, template: makeTemplate(plan, templates) };
  write('setup.sh', setupOf(preparation, root));
  write('run.sh', scriptOf(preparation));
}

function chainOf(preparation: Preparation, plan: RootPlan | undefined): Launch {
  const { record, folder, machine, sandbox, initScript, joinedPid } = preparation;
  const { hostIpc, hostPid } = sandbox.config;
  const namespaces = { network: sandbox.network, hostIpc, hostPid, joinedPid };
  const words = [
    ...outerChain(machine, namespaces),
    machine.tools.sh ?? 'sh',
    initScript,
    folder,
    ...commandChain(record, machine, plan?.root ?? '/'),
  ];
  const [command = '', ...args] = words;
  return { kind: 'chain', command, args, env: TOOL_ENV };
}

function planOf(preparation: Preparation): RootPlan {
  const {
    place,
    tops,
    hostMounts,
    nowMs,
    hasHand,
    record,
    sandbox,
    machine,
    hidden,
    mounts,
    sharedMemory,
  } = preparation;
  return planRoot({
    place,
    imageRoot: record.imageRoot,
    tops,
    mounts: [...mounts, ...record.config.devices.map(deviceMount)],
    hidden,
    workingDir: record.workingDir,
    // A hand needs no flags of those that have just come.
    hostMounts: hasHand ? hostMounts.list(nowMs) : readHostMounts(),
    isRoot: machine.isolation === 'root',
    uid: record.user.uid,
    hasLayers: machine.hasLayers,
    hasProcesses: machine.hasProcesses && !sandbox.config.hostPid,
    hasTerminal: record.config.tty,
    isReadOnly: record.config.security.isReadOnlyRoot,
    sharedMemory,
  });
}

/** A device of the machine, where the machine has it. */
function deviceMount(device: string): Mount {
  const propagation = 'None';
  return {
    containerPath: device,
    hostPath: device,
    isReadOnly: false,
    isRecursiveReadOnly: false,
    propagation,
  };
}

function setupOf(preparation: Preparation, root: SetupRequest['root']): string {
  const { record, sandbox, folder, machine } = preparation;
  const { resources, stdin } = record.config;
  const ownsHostname = sandbox.network.kind === 'loopback' && machine.isolation !== 'none';
  return setupScript({
    folder,
    tools: machine.tools,
    joins: record.cgroups.map((group) => path.join(group, 'cgroup.procs')),
    oomScoreAdjust: machine.isLinux ? resources.oomScoreAdjust : undefined,
    hostname: ownsHostname ? sandbox.config.hostname || undefined : undefined,
    hasStdin: stdin,
    root,
    endsWholeGroup: machine.isolation === 'none',
  });
}

/** Without mounts a variable says where to look for what would be mounted. */
function scriptOf({ record, machine, place }: Preparation): string {
  const isPlain = machine.isolation === 'none';
  const { argv, env, workingDir, imageRoot } = record;
  if (!hasProgram(imageRoot, '/bin/sh')) {
    const inner = innerChain(insideOf(record, machine, `${place}/t/r`));
    return outsideScript({ argv, env, inner, envTool: machine.tools.env ?? 'env' });
  }
  return runScript({
    argv,
    env: isPlain ? [['PODKEEP_ROOT', place], ...env] : env,
    workingDir: isPlain ? workingDir : undefined,
    reports: true,
  });
}

/** From init to a shell that reads the script: the container's own, or ours if it has none. */
function commandChain(record: ContainerRecord, machine: Machine, root: string): readonly string[] {
  const { sh = 'sh' } = machine.tools;
  if (!hasProgram(record.imageRoot, '/bin/sh')) return [sh, '-s'];
  const inner = innerChain(insideOf(record, machine, root));
  if (!record.config.tty || machine.tools.script === undefined) return inner;
  const terminal = terminalCommand(machine, inner, record.user.uid);
  return [sh, '-c', 'exec 4<&0 <&5; exec "$@"', 'sh', ...terminal];
}

export function insideOf(record: ContainerRecord, machine: Machine, root: string): Inside {
  const hasSetpriv = machine.tools.setpriv !== undefined;
  return {
    machine,
    root,
    workingDir: record.workingDir,
    user: record.user,
    security: record.config.security,
    hasShell: hasProgram(record.imageRoot, '/bin/sh'),
    hasSetpriv: hasSetpriv && hasProgram(record.imageRoot, '/usr/bin/setpriv'),
  };
}

async function makePipe(machine: Machine, file: string): Promise<void> {
  rmSync(file, { force: true });
  await run(machine.tools.mkfifo ?? 'mkfifo', ['-m', '600', file]);
}

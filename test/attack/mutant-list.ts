/**
 * Protections that are switched off, one at a time. Where several layers protect, a mutant switches off all of
 * them and says so in its name: alone none of them makes a difference that an attack could see.
 */
import type { Mode } from './harness/types.ts';

export interface Change {
  readonly file: string;
  readonly find: string;
  readonly instead: string;
}

export interface Mutant {
  readonly name: string;
  readonly changes: readonly Change[];
  /** The attacks that should notice it. */
  readonly attacks: string;
  readonly mode?: Mode;
  /** Among the few that CI runs. */
  readonly isQuick?: boolean;
}

const PROGRAM = 'src/lib/syscall-helper/program';
const CALLS = `${PROGRAM}/calls.pl`;
const PROCESS = 'src/runtimes/process';
const ROOT_CALLS = `${PROCESS}/root/root-calls.ts`;
const MACHINE_TREE = `${PROCESS}/root/machine-tree.ts`;
const ID_RANGES = `${PROCESS}/machine/users/id-ranges.ts`;
const CONTAINER_ORDER = `${PROCESS}/start/container-order.ts`;

/** Makes a call of the helper do nothing. */
const withoutCall = (name: string, what: string, attacks: string, isQuick = false): Mutant => ({
  name: what,
  changes: [{ file: CALLS, find: `  ${name} => sub {`, instead: `  ${name} => sub { return;` }],
  attacks,
  isQuick,
});

const mutant = (name: string, attacks: string, ...changes: readonly Change[]): Mutant => ({
  name,
  attacks,
  changes,
});

export const MUTANTS: readonly Mutant[] = [
  withoutCall('seccomp', 'no seccomp filter', '^rights/restricted/main/filter', true),
  withoutCall('bound', 'no bounding set', '^rights/restricted/main/bounding'),
  mutant(
    'all capabilities (bounding set and sets of the process)',
    '^rights/(?:as-root|restricted)/main',
    { file: CALLS, find: '  bound => sub {', instead: '  bound => sub { return;' },
    { file: CALLS, find: '  capabilities => sub {', instead: '  capabilities => sub { return;' },
  ),
  withoutCall(
    'mask',
    'no masked paths',
    '^inventory/main/mounts|^kernel-files/restricted/proc-keys',
  ),
  withoutCall('freeze', 'no read-only paths', '^inventory/main/mounts'),
  withoutCall('restrict', 'no read-only root', '^privileges/read-only', true),
  withoutCall('keyring', 'the session keyring of podkeep', '^neighbours/unconfined/keys'),
  withoutCall('hidden', 'processes that enter can be looked into', '^tracing/memory'),
  mutant('no no_new_privs', '^rights/restricted/main/no-new|^privileges/setuid', {
    file: `${PROCESS}/start/command-calls.ts`,
    find: 'const noNewPrivileges = config',
    instead: 'const noNewPrivileges = false && config',
  }),
  mutant('no users of its own', '^inventory/main/identity|^neighbours/own-ids', {
    file: `${PROCESS}/sandbox/network.ts`,
    find: 'return this.#machine.mapsUsers && !sharesMachine;',
    instead: 'return false && sharesMachine;',
  }),
  mutant(
    'pods share a range of IDs (in memory, and on disk)',
    '^neighbours/own-ids',
    {
      file: ID_RANGES,
      find: '      if (this.#own.has(first)) continue;\n',
      instead: '',
    },
    {
      file: ID_RANGES,
      find: `    writeFileSync(this.#file(first), \`\${this.#key} \${podUid}\\n\`, { flag: 'wx', mode: 0o644 });`,
      instead: `    writeFileSync(this.#file(first), \`\${this.#key} \${podUid}\\n\`, { flag: 'w', mode: 0o644 });`,
    },
  ),
  mutant('no root of its own', '^inventory/main/mounts|^leaving-root', {
    file: CALLS,
    find: `    call('umount2', ' the old root', $here, MNT_DETACH);`,
    instead: `    mkdir 'old'; 1;`,
  }),
  mutant('all of the machine’s tree', '^leaving-root/.*by-name|^inventory/main/mounts', {
    file: MACHINE_TREE,
    find: "const PROGRAM_FOLDERS = ['bin',",
    instead: "const PROGRAM_FOLDERS = ['home', 'opt', 'srv', 'bin',",
  }),
  mutant('files of /etc beyond the list', '^inventory/main/files', {
    file: MACHINE_TREE,
    find: `  'os-release',\n`,
    instead: `  'os-release',\n  'fstab',\n  'debian_version',\n  'profile',\n`,
  }),
  mutant('accounts of the machine', '^leaving-root/restricted/accounts', {
    file: MACHINE_TREE,
    find: '    writeFileSync(file, text);',
    instead: `    copyFileSync(path.join(root, 'etc', name), file);`,
  }),
  mutant(
    'descriptors are not closed (by hand, and by exec)',
    '^descriptors/(?:main|exec)$',
    {
      file: `${PROGRAM}/container.pl`,
      find: `  if (attempt('close_range', 3, 0xffffffff, 4) < 0) { mark_all_to_close() }`,
      instead: `  opendir(my $list, '/proc/self/fd'); our @kept;
  for my $n (grep { /^\\d+$/ && $_ > 2 && $_ != fileno($list) } readdir $list) {
    # The pipe whose end says that the command has taken over must close.
    next if (readlink("/proc/self/fd/$n") // '') =~ /^pipe/;
    # F_DUPFD: a copy that is not closed by exec.
    syscall($main::number{fcntl} // ($main::processor eq 'x86_64' ? 72 : 25), $n + 0, 0, 50);
  }`,
    },
    {
      file: `${PROGRAM}/exec.pl`,
      find: '    close_from(3);\n    POSIX::setsid();',
      instead: '    POSIX::setsid();',
    },
  ),
  mutant('links lead out of the root', '^layers/host-name-link', {
    file: `${PROGRAM}/inside-root.pl`,
    find: 'O_PATH, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);',
    instead: 'O_PATH, 0);',
  }),
  mutant(
    'mounts below /proc (both checks)',
    '^mount-targets/proc',
    {
      file: ROOT_CALLS,
      find: `if (at === '/proc' || at.startsWith('/proc/')) {`,
      instead: `if (at === '/proc/never') {`,
    },
    {
      file: `${PROGRAM}/inside-root.pl`,
      find: '  my ($fd, $path, $may_sys) = @_;',
      instead: '  return;\n  my ($fd, $path, $may_sys) = @_;',
    },
  ),
  mutant('devices of the machine', '^devices/restricted/present|^inventory/main/mounts', {
    file: ROOT_CALLS,
    find: `const DEVICES = ['null',`,
    instead: `const DEVICES = ['kmsg', 'mem', 'fuse', 'kvm', 'null',`,
  }),
  mutant('terminals of the machine', '^terminals/|^inventory/main/mounts', {
    file: ROOT_CALLS,
    find: `    ['mount_in', 'root', 'dev/pts', 'devpts', 'devpts', MOUNT.noSuid | MOUNT.noExec, pts],`,
    instead: `    ...boundCalls('/dev/pts', 0),`,
  }),
  mutant('/dev/shm of the machine', '^neighbours/restricted/shm-folder', {
    file: ROOT_CALLS,
    find: `['tree', 'shm', sharedMemory, 0],`,
    instead: `['tree', 'shm', '/dev/shm', 0],`,
  }),
  mutant('/dev/shm without a limit', '^resources/shared-memory', {
    file: `${PROCESS}/sandbox/pod-namespaces.ts`,
    find: `export const SHARED_MEMORY_OPTIONS = 'mode=1777,size=65536k';`,
    instead: `export const SHARED_MEMORY_OPTIONS = 'mode=1777';`,
  }),
  mutant('hostPath without nosuid and nodev', '^volumes/host-path', {
    file: ROOT_CALLS,
    find: `    (isPrivileged ? 0 : ATTRIBUTE.noDevices) |
    (isHostPath && !isPrivileged ? ATTRIBUTE.noSuid : 0) |
`,
    instead: '',
  }),
  mutant('exec stays in the mounts of the machine', '^inventory/exec/', {
    file: `${PROCESS}/start/exec-order.ts`,
    find: `const SHARED = ['net', 'uts', 'ipc', 'mount'] as const;`,
    instead: `const SHARED = ['net', 'uts', 'ipc'] as const;`,
  }),
  mutant('exec keeps its users', '^rights/restricted/exec/|^inventory/exec/', {
    file: `${PROCESS}/start/exec-order.ts`,
    find: 'enter: commandCalls({ record, machine, seccomp }),',
    instead: 'enter: [],',
  }),
  mutant('no process namespace', '^neighbours/restricted/(?:command|signals|env)|^inventory/main', {
    file: CONTAINER_ORDER,
    find: 'flags |= NAMESPACE.pid;',
    instead: 'flags |= 0;',
  }),
  mutant('shared memory of the machine', '^neighbours/(?:restricted|as-root)/(?:shared|message)', {
    file: CONTAINER_ORDER,
    find: `(['net', 'uts'] as const) : (['net', 'uts', 'ipc'] as const)`,
    instead: `(['net', 'uts'] as const) : (['net', 'uts'] as const)`,
  }),
  mutant('the network of the machine', '^neighbours/(?:loopback|abstract)', {
    file: CONTAINER_ORDER,
    find: `(['net', 'uts'] as const) : (['net', 'uts', 'ipc'] as const)`,
    instead: `(['uts'] as const) : (['uts', 'ipc'] as const)`,
  }),
  mutant('a log without bounds', '^output/(?:stdout|short-lines)', {
    file: `${PROGRAM}/log.pl`,
    find: '    my $space = $log->{max} > 0 ? $log->{max} - $log->{size} : length $bytes;',
    instead: '    my $space = length $bytes;',
  }),
  mutant('no limit of processes', '^resources/processes$', {
    file: `${PROCESS}/sandbox/pod-pids.ts`,
    find: '    return this.#limit > 0;',
    instead: '    return false;',
  }),
  mutant('no eviction for local storage', '^resources/empty-dir$', {
    file: 'src/core/eviction/local-storage-limits.ts',
    find: '  if (sizeLimit === null) return [];',
    instead: '  if (sizeLimit !== undefined) return [];',
  }),
  {
    ...mutant('links in image layers', '^layers/link', {
      file: `${PROCESS}/images/layers/image-root.ts`,
      find: 'else if (found.isDirectory()) real.push(name);',
      instead: 'else if (found.isDirectory() || found.isSymbolicLink()) real.push(name);',
    }),
    isQuick: true,
  },
  mutant('links of volumes in subPaths', '^sub-path/open-file', {
    file: 'src/kubelet/volumes/volume-walk.ts',
    find: 'if (stats.isSymbolicLink()) return this.#follow(await readlink(here.at(name)));',
    instead:
      'if (stats.isSymbolicLink()) { await here.close(); const to = await realpath(this.path + "/" + name); const at = await OpenFolder.open(path.dirname(to)); this.#folders.splice(0, 9, at); return [path.basename(to)]; }',
  }),
  mutant('a file that became a link', '^sub-path/race-file', {
    file: 'src/kubelet/volumes/volume-walk.ts',
    find: 'if (!stats.isSymbolicLink() && !stats.isDirectory()) return handle;',
    instead: 'if (stats) return handle;',
  }),
  mutant('Secrets that containers may write', '^volumes/secret-write', {
    file: ROOT_CALLS,
    find: '    ...(isReadOnly ? [',
    instead: '    ...(!isReadOnly ? [',
  }),
  {
    ...mutant('/dev/shm without a limit for ordinary users', '^resources/shared-memory', {
      file: `${PROCESS}/sandbox/pod-namespaces.ts`,
      find: `export const SHARED_MEMORY_OPTIONS = 'mode=1777,size=65536k';`,
      instead: `export const SHARED_MEMORY_OPTIONS = 'mode=1777';`,
    }),
    mode: 'user',
  },
];

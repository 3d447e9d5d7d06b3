/**
 * Planted programs, libraries and variables. A container puts them where podkeep may run or load them when
 * it enters the container: for its command, for exec, probes and hooks. They record with which rights they
 * ran; it must not be with more than the command of the container has.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { JsonObject } from '../../../src/lib/json.ts';
import { emptyDirOf } from '../harness/node-files.ts';
import { LIBRARY_MAP, offerLibrary } from '../harness/planted-library.ts';
import { podAttack, type PodAttack, type RunningPod } from '../harness/pod-attack.ts';
import { hookOf, probeOf, shellContainer, type PodShape } from '../harness/pods.ts';
import type { Target } from '../harness/target.ts';
import type { Attack } from '../harness/types.ts';
import { excessIn } from './planted-rights.ts';

/** Names of programs by which a runtime may enter a container. */
const NAMES =
  'setpriv sh bash dash env unshare nsenter chroot su sudo perl python3 node script stty mount umount ip hostname runuser capsh';

/** Writes down its rights with nothing but the shell itself, which is named by its true path. */
const RECORD = `
{ echo "PLANTED $0"; while read -r line; do echo "$line"; done </proc/self/status
  echo "Root: $(/usr/bin/stat -L -c %d:%i /)"; echo DONE; } >>/work/planted 2>/dev/null`;

const SELF = `
{ echo SELF; while read -r line; do echo "$line"; done </proc/self/status
  echo "Root: $(/usr/bin/stat -L -c %d:%i /)"; echo DONE; } >/work/self`;

/** By the container that plants, which has the same rights, in case the other one never runs. */
const BEFORE = `{ echo BEFORE; while read -r line; do echo "$line"; done </proc/self/status; echo DONE; } >/work/before`;

/** Waits, and a while longer when it is asked to stop, so that records can be read. */
const HOLD = `trap '/bin/sleep 2; exit 0' TERM; echo READY; while :; do /bin/sleep 0.2; done`;

interface Plant {
  readonly name: string;
  readonly what: string;
  /** Of the container that plants, before the attacking one. */
  readonly script: string;
  readonly mounts: readonly JsonObject[];
  readonly env: readonly JsonObject[];
  readonly needsLibrary: boolean;
  /** Proves that what was planted works. */
  readonly trial: string;
}

const PLANTS: readonly Plant[] = [
  {
    name: 'programs',
    what: 'programs in a volume on /usr/sbin',
    script: `for name in ${NAMES}; do { echo '#!/bin/sh'; cat <<'RECORD_END'\n${RECORD}\nRECORD_END\n} >/sbin-planted/$name; chmod 755 /sbin-planted/$name; done`,
    mounts: [{ name: 'programs', mountPath: '/usr/sbin' }],
    env: [],
    needsLibrary: false,
    trial: '/usr/sbin/setpriv',
  },
  {
    name: 'preload-file',
    what: 'a library in /etc/ld.so.preload',
    script: 'echo /plant/planted.so >/work/preload',
    mounts: [{ name: 'work', mountPath: '/etc/ld.so.preload', subPath: 'preload' }],
    env: [],
    needsLibrary: true,
    trial: '/bin/true',
  },
  {
    name: 'preload-variable',
    what: 'a library in LD_PRELOAD and LD_LIBRARY_PATH',
    script:
      'mkdir /work/lib; for l in libcap-ng.so.0 libselinux.so.1 libpcre2-8.so.0; do cp /plant/planted.so /work/lib/$l; done',
    mounts: [],
    env: [
      { name: 'LD_PRELOAD', value: '/plant/planted.so' },
      { name: 'LD_LIBRARY_PATH', value: '/work/lib' },
    ],
    needsLibrary: true,
    trial: '/bin/true',
  },
  {
    name: 'script-variables',
    what: 'modules and scripts in variables of Perl, sh and Node',
    script: `cat >/work/record.sh <<'RECORD_END'\n${RECORD}\nRECORD_END\necho 'system("/bin/sh", "/work/record.sh"); 1;' >/work/Planted.pm; echo 'require("child_process").spawnSync("/bin/sh", ["/work/record.sh"])' >/work/planted.cjs`,
    mounts: [],
    env: [
      { name: 'PERL5LIB', value: '/work' },
      { name: 'PERL5OPT', value: '-MPlanted' },
      { name: 'BASH_ENV', value: '/work/record.sh' },
      { name: 'ENV', value: '/work/record.sh' },
      { name: 'NODE_OPTIONS', value: '--require=/work/planted.cjs' },
    ],
    needsLibrary: false,
    trial: '/usr/bin/perl -e 1',
  },
];

interface Entry {
  readonly name: string;
  readonly container: JsonObject;
  readonly drive: NonNullable<PodAttack['drive']>;
}

const COMMAND = ['/bin/echo', 'entered'];
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const wait = (ms: number) => async (): Promise<string> => {
  await pause(ms);
  return '';
};

function execEntry(tty: boolean): NonNullable<PodAttack['drive']> {
  return async (target, { name }) => {
    const request = { pod: name, container: 'main', command: COMMAND, tty, seconds: 5 };
    return (await target.exec(tty ? { ...request, stdin: '' } : request)).output;
  };
}

const ENTRIES: readonly Entry[] = [
  { name: 'main', container: {}, drive: wait(100) },
  { name: 'main-tty', container: { tty: true, stdin: true }, drive: wait(100) },
  { name: 'exec', container: {}, drive: execEntry(false) },
  { name: 'exec-tty', container: {}, drive: execEntry(true) },
  { name: 'probe', container: { livenessProbe: probeOf('exit 0') }, drive: wait(2500) },
  {
    name: 'postStart',
    container: { lifecycle: { postStart: hookOf('exit 0') } },
    drive: wait(1500),
  },
  {
    name: 'preStop',
    container: { lifecycle: { preStop: hookOf('exit 0') } },
    drive: async (target, pod) => {
      await target.delete(pod.name, 10);
      await pause(1000);
      return recordsOf(target, pod);
    },
  },
];

/** What was recorded, read from outside of the pod. */
function recordsOf({ data }: Target, { uid }: RunningPod): string {
  const files = ['self', 'before', 'planted'].map((name) =>
    path.join(emptyDirOf(data, uid, 'work'), name),
  );
  return files.map((file) => (existsSync(file) ? readFileSync(file, 'latin1') : '')).join('\n');
}

function shapeOf(plant: Plant, { container }: Entry): PodShape {
  const library = { name: 'library', configMap: { name: LIBRARY_MAP, optional: true } };
  const libraryMount = { name: 'library', mountPath: '/plant' };
  return {
    shell: '/bin/sh',
    volumes: { work: '/work' },
    inits: [
      shellContainer('plant', `${BEFORE}\n${plant.script}`, {
        volumeMounts: [{ name: 'programs', mountPath: '/sbin-planted' }, libraryMount],
      }),
    ],
    container: {
      ...container,
      env: [...plant.env],
      volumeMounts: [libraryMount, ...plant.mounts],
    },
    spec: {
      // The volumes of a failed pod are removed, and the records with them.
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 10,
      volumes: [{ name: 'programs', emptyDir: {} }, library],
    },
  };
}

function plantedAttack(plant: Plant, entry: Entry): Attack {
  return podAttack({
    class: 'planted',
    id: `${plant.name}/${entry.name}`,
    tries: `It plants ${plant.what}, for ${entry.name} to run with more rights than it has.`,
    unless: async (target) =>
      plant.needsLibrary && !(await offerLibrary(target))
        ? 'there is no C compiler for the library'
        : undefined,
    pod: shapeOf(plant, entry),
    script: `${SELF}\n${plant.trial}; ${HOLD}`,
    drive: async (target, pod) => (await entry.drive(target, pod)) + recordsOf(target, pod),
    proof: /^PLANTED/m,
    check: (_target, _pod, output) => excessIn(output),
    seconds: 5,
  });
}

/** Of a container of user 0, which needs no volume to replace programs. */
const AS_ROOT_PLANT = `
cp /bin/sh /work/real-sh
for name in /usr/bin/setpriv /usr/bin/env /usr/sbin/chroot /usr/bin/unshare /usr/bin/nsenter /usr/bin/script; do
  { echo '#!/work/real-sh'; cat <<'RECORD_END'\n${RECORD}\nRECORD_END\n} >/work/new; chmod 755 /work/new; cp -f /work/new $name || echo 'CANNOT PLANT'
done
/usr/bin/setpriv`;
const AS_ROOT_SHELL = `
cp -f /work/new /work/new-sh; ln -sf /work/new-sh /bin/sh; ln -sf /work/new-sh /usr/bin/dash; ${HOLD}`;

function asRoot(entry: Entry, replacesShell: boolean): Attack {
  return podAttack({
    class: 'planted',
    id: `as-root-${replacesShell ? 'shell' : 'programs'}/${entry.name}`,
    tries: `User 0 of a container replaces ${replacesShell ? 'the shell' : 'programs'} of its root before ${entry.name}.`,
    pod: {
      as: 'root',
      volumes: { work: '/work' },
      container: entry.container,
      spec: { terminationGracePeriodSeconds: 10 },
    },
    script: `${SELF}\n${AS_ROOT_PLANT}\n${replacesShell ? AS_ROOT_SHELL : HOLD}`,
    drive: async (target, pod) => (await entry.drive(target, pod)) + recordsOf(target, pod),
    proof: /^PLANTED|^CANNOT PLANT/m,
    check: (_target, _pod, output) => excessIn(output),
    seconds: 5,
  });
}

const LATE = ENTRIES.filter(({ name }) => /exec|probe|preStop/.test(name));

export const PLANTED: readonly Attack[] = [
  ...PLANTS.flatMap((plant) => ENTRIES.map((entry) => plantedAttack(plant, entry))),
  ...LATE.flatMap((entry) => [asRoot(entry, false), asRoot(entry, true)]),
];

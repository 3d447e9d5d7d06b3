/** The errors of building and downloading programs for tests. */
import { defineError } from '../../src/lib/errors.ts';

export const programMissing = defineError<{ readonly program: string; readonly use: string }>({
  code: 'PROGRAM_MISSING',
  retry: 'never',
  message: ({ program, use }) => `${program} is needed ${use}, and is not on this machine`,
  hint: ({ program }) => `Install ${program}, or put it on the PATH.`,
});

export const clusterMissing = defineError<{ readonly missing: readonly string[] }>({
  code: 'CLUSTER_MISSING',
  retry: 'never',
  message: ({ missing }) => `Kubernetes' own programs are not built yet: ${missing.join(', ')}`,
  hint: () => 'Run `npm run cluster:build`. It needs Go, and a while.',
});

export const diskTooFull = defineError<{
  readonly folder: string;
  readonly freeGiB: string;
  readonly neededGiB: number;
}>({
  code: 'DISK_TOO_FULL',
  retry: 'never',
  message: ({ folder, freeGiB, neededGiB }) =>
    `${folder} has ${freeGiB} GiB left, and the build may need ${neededGiB} GiB`,
  hint: () => 'Free some space, or name another folder with PODKEEP_CACHE (and Go’s with GOCACHE).',
});

export const buildLocked = defineError<{ readonly file: string; readonly pid: number }>({
  code: 'BUILD_LOCKED',
  retry: 'backoff',
  message: ({ pid }) => `process ${pid} has been building for too long to wait for it`,
  hint: ({ file }) => `See what it does; if it is no builder, remove ${file}.`,
});

export const mirrorMissing = defineError<undefined>({
  code: 'MIRROR_MISSING',
  retry: 'never',
  message: () => 'apt has no mirror of Debian, from which containerd and its tools are downloaded',
  hint: () => 'Add a source of Debian to apt (an address that ends with /debian), and try again.',
});

export const rootMissing = defineError<{ readonly use: string }>({
  code: 'ROOT_MISSING',
  retry: 'never',
  message: ({ use }) => `only root, on Linux, may do what is needed ${use}`,
  hint: () =>
    'Run it as root, on a machine where mounts, namespaces and control groups may be made.',
});

export const commandFailed = defineError<{
  readonly command: string;
  readonly how: string;
  readonly output: string;
}>({
  code: 'COMMAND_FAILED',
  retry: 'never',
  message: ({ command, how, output }) => `\`${command}\` ${how}\n${output}`.trimEnd(),
  hint: () =>
    'Its output is above. Check that the Go module proxy and the Debian mirror can be reached.',
});

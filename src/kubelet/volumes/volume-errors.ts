/** Why volumes are not there, in the words that users see in the events of their pods. */
import { defineError } from '../../lib/errors.ts';

/** What the event says behind `MountVolume.SetUp failed for volume "x" : `. */
export const volumeUnusable = defineError<{ reason: string }>({
  code: 'VOLUME_UNUSABLE',
  retry: 'backoff',
  message: ({ reason }) => reason,
  hint: () => 'Correct what the message names. The volume is tried again by itself.',
});

export const volumeUnsupported = defineError<{ kind: string }>({
  code: 'VOLUME_UNSUPPORTED',
  retry: 'never',
  message: ({ kind }) => `podkeep does not mount volumes of the kind ${kind}`,
  hint: () =>
    'Use emptyDir, hostPath, configMap, secret, downwardAPI or projected, or a claim that is bound to a ' +
    'persistent volume of the kind hostPath or local.',
});

/** A claim that leads to no volume: nothing was tried yet. */
export const volumeUnprocessed = defineError<{ reason: string }>({
  code: 'VOLUME_UNPROCESSED',
  retry: 'backoff',
  message: ({ reason }) => reason,
  hint: () => 'Look at the claim that the message names: kubectl describe pvc.',
});

export const volumesNotMounted = defineError<{
  unmounted: readonly string[];
  unprocessed: readonly string[];
  reason: string;
}>({
  code: 'VOLUMES_NOT_MOUNTED',
  retry: 'backoff',
  message: ({ unmounted, unprocessed, reason }) =>
    `unmounted volumes=[${unmounted.join(' ')}], unattached volumes=[], ` +
    `failed to process volumes=[${unprocessed.join(' ')}]: ${reason}`,
  hint: () => 'The events FailedMount of the pod say what keeps each volume from being mounted.',
});

export const volumesNotUnmounted = defineError<{ mounted: readonly string[]; reason: string }>({
  code: 'VOLUMES_NOT_UNMOUNTED',
  retry: 'backoff',
  message: ({ mounted, reason }) => `mounted volumes=[${mounted.join(' ')}]: ${reason}`,
  hint: () => 'Look for processes that still use the volumes: fuser -m names them.',
});

export const volumeNameInvalid = defineError<{ name: string }>({
  code: 'VOLUME_NAME_INVALID',
  retry: 'never',
  message: ({ name }) => `${JSON.stringify(name.slice(0, 80))} cannot be the name of a folder`,
  hint: () => 'Names of volumes and UIDs of pods have letters, digits and dashes.',
});

/** Where Node has words of its own for what every other program on the machine calls otherwise. */
const SYSTEM_WORDS: ReadonlyMap<string, string> = new Map([
  ['EEXIST', 'file exists'],
  ['EISDIR', 'is a directory'],
  ['EBUSY', 'device or resource busy'],
  ['ELOOP', 'too many levels of symbolic links'],
  ['EIO', 'input/output error'],
]);

/** As the kubelet's file functions say it: `mkdir /a/b: not a directory`. */
export function fileErrorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const parts = /^(E[A-Z0-9]+): ([^,]+), (\w+)(?: '([^']*)')?/.exec(error.message);
  if (!parts) return error.message;
  const [, code = '', words = '', operation = '', file] = parts;
  return `${operation}${file === undefined ? '' : ` ${file}`}: ${SYSTEM_WORDS.get(code) ?? words}`;
}

export function codeOf(error: unknown): string | undefined {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

export function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT';
}

/** Defines the errors of volumes, with the messages that users see in the Events of their pods. */
import { defineError } from '../../lib/errors.ts';

/** The text of the Event after `MountVolume.SetUp failed for volume "x" : `. */
export const volumeUnusable = defineError<{ reason: string }>({
  code: 'VOLUME_UNUSABLE',
  retry: 'backoff',
  message: ({ reason }) => reason,
  hint: () => 'Correct what the message names. Podkeep retries the volume automatically.',
});

export const volumeUnsupported = defineError<{ kind: string }>({
  code: 'VOLUME_UNSUPPORTED',
  retry: 'never',
  message: ({ kind }) => `podkeep does not mount volumes of the kind ${kind}`,
  hint: () =>
    'Use emptyDir, hostPath, configMap, secret, downwardAPI or projected, or a claim that is bound to a ' +
    'persistent volume of the kind hostPath or local.',
});

/** The runtime would ignore the image, and the container would start without its files. */
export const imageVolumesUnsupported = defineError<{ name: string }>({
  code: 'IMAGE_VOLUMES_UNSUPPORTED',
  retry: 'never',
  message: ({ name }) =>
    `the container runtime of this node cannot mount the image of volume ${JSON.stringify(name)}`,
  hint: () => 'Run the pod on a node with containerd 2.1 or CRI-O 1.31, or newer.',
});

/** The volume's claim is not usable, so no mount was tried. */
export const volumeUnprocessed = defineError<{ reason: string }>({
  code: 'VOLUME_UNPROCESSED',
  retry: 'backoff',
  message: ({ reason }) => reason,
  hint: () => 'Check the claim that the message names: kubectl describe pvc.',
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
  hint: () => 'The FailedMount events of the pod say why each volume is not mounted.',
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

/** Messages of the system (strerror) where Node's own text differs. */
const SYSTEM_MESSAGES: ReadonlyMap<string, string> = new Map([
  ['EEXIST', 'file exists'],
  ['EISDIR', 'is a directory'],
  ['EBUSY', 'device or resource busy'],
  ['ELOOP', 'too many levels of symbolic links'],
  ['EIO', 'input/output error'],
]);

/** In the form of Go's file functions: `mkdir /a/b: not a directory`. */
export function fileErrorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const parts = /^(E[A-Z0-9]+): ([^,]+), (\w+)(?: '([^']*)')?/.exec(error.message);
  if (!parts) return error.message;
  const [, code = '', words = '', operation = '', file] = parts;
  return `${operation}${file === undefined ? '' : ` ${file}`}: ${SYSTEM_MESSAGES.get(code) ?? words}`;
}

export function codeOf(error: unknown): string | undefined {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

export function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT';
}

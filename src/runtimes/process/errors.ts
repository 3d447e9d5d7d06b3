/** What can go wrong with containers that are processes, and what a person can do about it. */
import { defineError } from '../../lib/errors.ts';

export const runtimeNotFound = defineError<{ what: 'sandbox' | 'container'; id: string }>({
  code: 'RUNTIME_NOT_FOUND',
  retry: 'never',
  message: ({ what, id }) => `there is no ${what} ${id}`,
  hint: () => 'It was removed, or it belongs to a runtime over another folder.',
});

export const runtimeConflict = defineError<{ what: string; reason: string }>({
  code: 'RUNTIME_CONFLICT',
  retry: 'backoff',
  message: ({ what, reason }) => `cannot make ${what}: ${reason}`,
  hint: () => 'Remove the one that is there first, or count the attempt up.',
});

export const runtimeNameInvalid = defineError<{ field: string; value: string }>({
  code: 'RUNTIME_NAME_INVALID',
  retry: 'never',
  message: ({ field, value }) =>
    `${field} ${JSON.stringify(value.slice(0, 80))} cannot be the name of a folder`,
  hint: () => 'Use letters, digits, dots, dashes and underscores.',
});

export const runtimeFolderUnusable = defineError<{ folder: string; reason: string }>({
  code: 'RUNTIME_FOLDER_UNUSABLE',
  retry: 'never',
  message: ({ folder, reason }) => `cannot keep containers in ${folder}: ${reason}`,
  hint: ({ folder }) => `Check that ${folder} is a folder and that podkeep may write in it.`,
});

export const runtimeFolderInUse = defineError<{ folder: string; pid: number }>({
  code: 'RUNTIME_FOLDER_IN_USE',
  retry: 'backoff',
  message: ({ folder, pid }) => `the containers in ${folder} are kept by process ${pid}`,
  hint: ({ pid }) => `Stop process ${pid}, or give this podkeep a folder of its own.`,
});

export const imageNameInvalid = defineError<{ image: string }>({
  code: 'INVALID_IMAGE_NAME',
  retry: 'never',
  message: ({ image }) => `${JSON.stringify(image.slice(0, 80))} cannot be the name of an image`,
  hint: () => 'Write it like nginx, nginx:1.27 or registry.example.com/team/app@sha256:…',
});

export const imageNotMapped = defineError<{ image: string }>({
  code: 'IMAGE_NOT_MAPPED',
  retry: 'backoff',
  // Users of pods see the message and nothing else, so the way out is part of it.
  message: ({ image }) =>
    `image ${image} stands for nothing here: this node runs processes and pulls no images; give ` +
    `the container a command, which then runs on this machine, or map the image in the ` +
    `configuration of podkeep: images: {"${image}": {"command": ["…"]}}`,
  hint: () => 'An image can be mapped to a command, to a folder or to an OCI layout.',
});

export const imageUnusable = defineError<{ image: string; place: string; reason: string }>({
  code: 'IMAGE_UNUSABLE',
  retry: 'backoff',
  message: ({ image, place, reason }) => `image ${image} at ${place} cannot be used: ${reason}`,
  hint: ({ place }) => `Check what is in ${place}; skopeo and docker save write such layouts.`,
});

export const containerNotStarted = defineError<{ name: string; reason: string }>({
  code: 'CONTAINER_NOT_STARTED',
  retry: 'backoff',
  message: ({ name, reason }) => `container ${name} did not start: ${reason}`,
  hint: () => 'Check its command, its working directory, its mounts and its user.',
});

export const containerNotRunning = defineError<{ id: string; state: string }>({
  code: 'CONTAINER_NOT_RUNNING',
  retry: 'backoff',
  message: ({ id, state }) => `container ${id} is not running: it is ${state}`,
  hint: () => 'Wait until it runs, or look at its log to see why it ended.',
});

export const userNotPermitted = defineError<{ name: string; wish: string; reason: string }>({
  code: 'USER_NOT_PERMITTED',
  retry: 'never',
  message: ({ name, wish, reason }) => `container ${name} cannot run as ${wish}: ${reason}`,
  hint: () =>
    'Leave securityContext out, start podkeep as root, or allow user namespaces on this machine.',
});

export const helperUnavailable = defineError<{ reason: string }>({
  code: 'HELPER_UNAVAILABLE',
  retry: 'backoff',
  message: ({ reason }) =>
    `containers cannot be kept apart from this machine: the syscall helper does not run (${reason})`,
  hint: () =>
    'Install perl, or set process.helper: none in the configuration of podkeep: a shell then starts ' +
    'containers, without any boundary.',
});

export const attachUnavailable = defineError<{ name: string }>({
  code: 'ATTACH_UNAVAILABLE',
  retry: 'never',
  message: ({ name }) => `container ${name} cannot be attached to: it has no monitor`,
  hint: () => 'It was started by an earlier version, or without the syscall helper. Restart it.',
});

export const idsExhausted = defineError<{ count: number }>({
  code: 'IDS_EXHAUSTED',
  retry: 'backoff',
  message: ({ count }) => `all ${count} ranges of user IDs of this machine are taken`,
  hint: () => 'Remove pods, or the files of podkeeps that are gone in /run/podkeep/ids.',
});

export const sandboxNotReady = defineError<{ pod: string; reason: string }>({
  code: 'SANDBOX_NOT_READY',
  retry: 'backoff',
  message: ({ pod, reason }) => `the sandbox of ${pod} cannot be used: ${reason}`,
  hint: () => 'It is made anew by itself; if that fails too, look at the message.',
});

export const execTimedOut = defineError<{ command: string; seconds: number }>({
  code: 'EXEC_TIMED_OUT',
  retry: 'backoff',
  message: ({ command, seconds }) => `command ${command} timed out after ${seconds} s`,
  hint: () => 'Give it more time, or find out what it waits for.',
});

export const mountUnusable = defineError<{ containerPath: string; reason: string }>({
  code: 'MOUNT_UNUSABLE',
  retry: 'backoff',
  message: ({ containerPath, reason }) => `cannot mount at ${containerPath}: ${reason}`,
  hint: () => 'Check that the volume is there, and that its path is absolute and has no "..".',
});

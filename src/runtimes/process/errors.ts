/** Errors of process containers, and what a user can do about them. */
import { defineError } from '../../lib/errors.ts';

export const runtimeNotFound = defineError<{ what: 'sandbox' | 'container'; id: string }>({
  code: 'RUNTIME_NOT_FOUND',
  retry: 'never',
  message: ({ what, id }) => `there is no ${what} ${id}`,
  hint: () => 'It was removed, or it belongs to a podkeep with another data folder.',
});

export const runtimeConflict = defineError<{ what: string; reason: string }>({
  code: 'RUNTIME_CONFLICT',
  retry: 'backoff',
  message: ({ what, reason }) => `cannot create ${what}: ${reason}`,
  hint: () => 'Remove the existing one first, or use the next attempt number.',
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
  message: ({ folder, pid }) => `the containers in ${folder} are managed by process ${pid}`,
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
  // Users of pods see only the message, so it includes the remedy.
  message: ({ image }) =>
    `podkeep runs local processes and pulls no images, so the name ${image} does not say what to run; ` +
    'give the container a command, which then runs on this machine; or map the image in the ' +
    `configuration of podkeep, to a command (images: {"${image}": {"command": ["…"]}}), a folder or an ` +
    'OCI layout; or run images with a container runtime: --runtime unix:///run/containerd/containerd.sock',
  hint: () => 'An image can be mapped to a command, to a folder or to an OCI layout.',
});

export const imageUnusable = defineError<{ image: string; place: string; reason: string }>({
  code: 'IMAGE_UNUSABLE',
  retry: 'backoff',
  message: ({ image, place, reason }) => `image ${image} at ${place} cannot be used: ${reason}`,
  hint: ({ place }) =>
    `Check what is in ${place}. podkeep uses OCI layouts, as "skopeo copy" and "docker save" write them.`,
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
  hint: () => 'Wait until it runs, or see in its log why it ended.',
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
    `cannot isolate containers: the syscall helper is not running (${reason})`,
  hint: () =>
    'Install perl, or set process.helper: none in the configuration of podkeep: a shell then starts ' +
    'containers, without any boundary.',
});

export const kernelTooOld = defineError<{ release: string; needed: string; reason: string }>({
  code: 'KERNEL_TOO_OLD',
  retry: 'never',
  message: ({ release, needed, reason }) =>
    `Linux ${release} cannot isolate containers (${reason}): Linux ${needed} or newer is needed`,
  hint: () =>
    'Use a newer kernel, or a container runtime (--runtime unix:///…), or set process.isolation: none in the ' +
    'configuration of podkeep to run containers without any boundary.',
});

export const attachUnavailable = defineError<{ name: string }>({
  code: 'ATTACH_UNAVAILABLE',
  retry: 'never',
  message: ({ name }) => `cannot attach to container ${name}: no monitor process holds its streams`,
  hint: () => 'It was started by an earlier version, or without the syscall helper. Restart it.',
});

export const idsExhausted = defineError<{ count: number }>({
  code: 'IDS_EXHAUSTED',
  retry: 'backoff',
  message: ({ count }) => `no free user ID range for a user namespace: all ${count} are in use`,
  hint: () => 'Remove pods, or the files in /run/podkeep/ids of podkeep processes that are gone.',
});

export const sandboxNotReady = defineError<{ pod: string; reason: string }>({
  code: 'SANDBOX_NOT_READY',
  retry: 'backoff',
  message: ({ pod, reason }) => `the sandbox of ${pod} cannot be used: ${reason}`,
  hint: () =>
    'podkeep creates it again automatically; if that fails too, see the FailedCreatePodSandBox event of the pod.',
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

export const masqueradeUnavailable = defineError<{ reason: string; remedy: string }>({
  code: 'MASQUERADE_UNAVAILABLE',
  retry: 'never',
  message: ({ reason }) => `masquerading is not possible on this machine: ${reason}`,
  hint: ({ remedy }) => `${remedy}, or leave out process.masquerade and --pod-masquerade.`,
});

export const masqueradeFailed = defineError<{ reason: string }>({
  code: 'MASQUERADE_FAILED',
  retry: 'backoff',
  message: ({ reason }) => `failed to set up masquerading: ${reason}`,
  hint: () => 'The kernel needs nf_tables with NAT; `nft list ruleset` shows whether it answers.',
});

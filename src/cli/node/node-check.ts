/**
 * Checks the settings of a node before anything is started: missing static pod manifests, a container runtime
 * that does not listen, unreadable certificate files, invalid eviction thresholds.
 *
 * Kubernetes' kubelet ignores a `staticPodPath` that does not exist, because the folder may be created later.
 * podkeep does the same if a configuration file names it, but refuses it on the command line.
 */
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { defineError } from '../../lib/errors.ts';
import { socketPathOf } from '../../runtimes/cri/endpoint.ts';
import type { KubeletConfig } from '../config/kubelet-config.ts';
import { checkCertificateFiles } from './server/kubelet-listener.ts';
import { evictionSettingsOf } from './node-eviction.ts';
import { isEndpoint, runtimeChoice } from './runtime-choice.ts';

export interface NodeToCheck {
  /** As on the command line; absent: not named there. */
  readonly manifests?: string;
  readonly runtime?: string;
  readonly config: KubeletConfig;
}

const manifestsUnusable = defineError<{ path: string; reason: string }>({
  code: 'MANIFESTS_UNUSABLE',
  retry: 'never',
  message: ({ path, reason }) => `--manifests ${path} cannot be used: ${reason}`,
  hint: () => 'Name a folder with manifests of static pods, or one such file.',
});

const runtimeSilent = defineError<{ socket: string; reason: string }>({
  code: 'RUNTIME_SILENT',
  retry: 'never',
  message: ({ socket, reason }) => `no container runtime listens at ${socket}: ${reason}`,
  hint: () =>
    'Start it (systemctl status containerd), or name its socket with --runtime; --runtime process ' +
    'needs no container runtime.',
});

/**
 * Throws MANIFESTS_UNUSABLE, RUNTIME_ENDPOINT_INVALID, RUNTIME_SILENT, CERTIFICATE_FILE_UNREADABLE,
 * EVICTION_THRESHOLD_INVALID.
 */
export async function checkNode({ manifests, runtime, config }: NodeToCheck): Promise<void> {
  if (manifests !== undefined) await checkManifests(manifests);
  const choice = runtimeChoice(runtime, config);
  if (isEndpoint(choice)) await dial(socketPathOf(choice));
  checkCertificateFiles(config);
  evictionSettingsOf(config, false);
}

async function checkManifests(path: string): Promise<void> {
  try {
    const stats = await stat(path);
    if (!stats.isDirectory() && !stats.isFile()) {
      throw manifestsUnusable({ path, reason: 'it is neither a folder nor a file' });
    }
    const { R_OK, X_OK } = constants;
    await access(path, stats.isDirectory() ? R_OK | X_OK : R_OK);
  } catch (error) {
    throw isErrno(error) ? manifestsUnusable({ path, reason: reasonOf(error) }, error) : error;
  }
}

function dial(socket: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const connection = connect({ path: socket });
    connection.once('connect', () => {
      connection.destroy();
      resolve();
    });
    connection.once('error', (error) => {
      reject(runtimeSilent({ socket, reason: reasonOf(error) }, error));
    });
  });
}

const SENTENCES: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  EACCES: 'this user may not use it',
  ENOTDIR: 'a part of its path is a file',
  ECONNREFUSED: 'the socket is there, but nothing listens on it',
  ENOTSOCK: 'it is not a socket',
};

function reasonOf(error: NodeJS.ErrnoException): string {
  return SENTENCES[error.code ?? ''] ?? error.message;
}

function isErrno(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

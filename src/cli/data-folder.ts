/**
 * Where podkeep keeps what must outlive it.
 *
 *     DIR/store        the objects; whoever has it open owns the folder
 *     DIR/pki          keys and certificates
 *     DIR/kubeconfig   how clients get in, as the administrator
 *     DIR/node         what the node keeps: folders, logs and containers of pods
 *     DIR/certificates what the cluster has signed for the node, with its keys
 */
import { accessSync, constants, mkdirSync } from 'node:fs';
import path from 'node:path';
import { defineError } from '../lib/errors.ts';

export interface DataFolder {
  readonly root: string;
  readonly store: string;
  readonly pki: string;
  readonly kubeconfig: string;
  readonly node: string;
  readonly certificates: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

const OWNER_ONLY = 0o700;

const dataFolderUnusable = defineError<{ folder: string; reason: string }>({
  code: 'DATA_FOLDER_UNUSABLE',
  retry: 'never',
  message: ({ folder, reason }) => `podkeep cannot keep its data in ${folder}: ${reason}`,
  hint: () => 'Choose a folder that this user may write in, with --data-dir.',
});

const homeUnknown = defineError<{ env: readonly string[] }>({
  code: 'HOME_UNKNOWN',
  retry: 'never',
  message: ({ env }) => `neither ${env.join(' nor ')} says where data of this user belongs`,
  hint: () => 'Say where with --data-dir.',
});

/** `wanted`: what the user asked for; undefined: the usual place. */
export function locateDataFolder(wanted: string | undefined, env: Environment): DataFolder {
  const root = path.resolve(wanted ?? usualPlace(env));
  return {
    root,
    store: path.join(root, 'store'),
    pki: path.join(root, 'pki'),
    kubeconfig: path.join(root, 'kubeconfig'),
    node: path.join(root, 'node'),
    certificates: path.join(root, 'certificates'),
  };
}

/** Throws DATA_FOLDER_UNUSABLE. */
export function makeDataFolder({ root }: DataFolder): void {
  try {
    mkdirSync(root, { recursive: true, mode: OWNER_ONLY });
    accessSync(root, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw dataFolderUnusable({ folder: root, reason }, error);
  }
}

/** By the rules for programs on a desktop (XDG), which want absolute paths. */
function usualPlace({ XDG_DATA_HOME: data = '', HOME: home = '' }: Environment): string {
  if (path.isAbsolute(data)) return path.join(data, 'podkeep');
  if (home === '') throw homeUnknown({ env: ['XDG_DATA_HOME', 'HOME'] });
  return path.join(home, '.local', 'share', 'podkeep');
}

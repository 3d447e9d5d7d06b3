/**
 * Locates and creates the data folder, which holds everything that must survive a restart:
 *
 *     DIR/store        the objects; the process that has it open owns the folder
 *     DIR/pki          keys and certificates
 *     DIR/kubeconfig   the administrator's access for clients
 *     DIR/node         the first node's files: folders, logs and containers of pods
 *     DIR/nodes/NAME   the files of another node
 *     DIR/nodes.json   the list of nodes, if there is more than one
 *     DIR/certificates certificates that the cluster has signed for the node, with their keys
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { defineError } from '../lib/errors.ts';
import { checkOwnFolder } from '../lib/trusted-file.ts';
import { makeUsableFolder } from './usable-folder.ts';

export interface DataFolder {
  readonly root: string;
  readonly store: string;
  readonly pki: string;
  readonly kubeconfig: string;
  readonly node: string;
  readonly nodes: string;
  readonly nodeRecord: string;
  readonly certificates: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

const dataFolderUnusable = defineError<{ folder: string; reason: string; hint: string }>({
  code: 'DATA_FOLDER_UNUSABLE',
  retry: 'never',
  message: ({ folder, reason }) => `podkeep cannot keep its data in ${folder}: ${reason}`,
  hint: ({ hint }) => hint,
});

const homeUnknown = defineError<{ env: readonly string[] }>({
  code: 'HOME_UNKNOWN',
  retry: 'never',
  message: ({ env }) => `neither ${env.join(' nor ')} names a folder for the data of this user`,
  hint: () => 'Choose a folder with --data-dir.',
});

/** `wanted`: the folder of --data-dir. Undefined: the default. */
export function locateDataFolder(wanted: string | undefined, env: Environment): DataFolder {
  const root = path.resolve(wanted ?? usualPlace(env));
  return {
    root,
    store: path.join(root, 'store'),
    pki: path.join(root, 'pki'),
    kubeconfig: path.join(root, 'kubeconfig'),
    node: path.join(root, 'node'),
    nodes: path.join(root, 'nodes'),
    nodeRecord: path.join(root, 'nodes.json'),
    certificates: path.join(root, 'certificates'),
  };
}

/** Throws DATA_FOLDER_UNUSABLE or UNTRUSTED_FILE. */
export function makeDataFolder(folders: DataFolder): void {
  const { root, store, pki, node, nodes, certificates } = folders;
  const fault = makeUsableFolder(root);
  if (fault) {
    const { reason, hint, cause } = fault;
    throw dataFolderUnusable({ folder: root, reason, hint }, cause);
  }
  checkOwnFolder(root);
  for (const folder of [store, pki, node, nodes, certificates]) {
    if (existsSync(folder)) checkOwnFolder(folder);
  }
}

/** The default by the XDG rules, which require absolute paths. */
function usualPlace({ XDG_DATA_HOME: data = '', HOME: home = '' }: Environment): string {
  if (path.isAbsolute(data)) return path.join(data, 'podkeep');
  if (home === '') throw homeUnknown({ env: ['XDG_DATA_HOME', 'HOME'] });
  return path.join(home, '.local', 'share', 'podkeep');
}

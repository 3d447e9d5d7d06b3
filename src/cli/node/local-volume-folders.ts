/**
 * The folders of the local provisioner: `NODE/persistent-volumes/pvc-UID`, below the data folder of the node.
 *
 * 1. Only names that the provisioner gives become names of folders; any other is refused here again.
 * 2. The folder above them belongs to podkeep, and no other user can write to it. So no link can take the place
 *    of a volume's folder, and what is below it was created here.
 * 3. Links are removed and never followed, and what is mounted below a folder is not entered
 *    (kubelet/volumes/teardown/tree-removal.ts).
 *
 * A folder is open to all users, as an emptyDir is: a container runs as any user, and pods without the volume
 * cannot reach it.
 */
import { existsSync, readdirSync } from 'node:fs';
import { chmod, lstat, mkdir, open } from 'node:fs/promises';
import path from 'node:path';
import { isProvisionedVolumeName } from '../../api/local-provisioner.ts';
import { defineError } from '../../lib/errors.ts';
import { checkOwnFolder } from '../../lib/trusted-file.ts';
import type { LocalVolumes } from '../../ports/local-volumes.ts';

export const localVolumeUnusable = defineError<{ name: string; reason: string }>({
  code: 'LOCAL_VOLUME_UNUSABLE',
  retry: 'backoff',
  message: ({ name, reason }) => `the folder of volume ${JSON.stringify(name)} ${reason}`,
  hint: () => 'Look at the folder persistent-volumes of the node: podkeep alone may write to it.',
});

const FOLDER = 'persistent-volumes';
const PARENT_MODE = 0o750;
const OPEN_MODE = 0o777;

/** The names of the volumes that have a folder on this node. */
export function localVolumesIn(nodeFolder: string): readonly string[] {
  const root = path.join(nodeFolder, FOLDER);
  return existsSync(root) ? readdirSync(root).filter(isProvisionedVolumeName) : [];
}

/** `nodeFolder`: absolute, the data folder of the node. */
export function localVolumeFolders(nodeFolder: string, nodeName: string): LocalVolumes {
  const root = path.join(nodeFolder, FOLDER);
  const pathOf = (name: string): string => {
    if (isProvisionedVolumeName(name)) return path.join(root, name);
    throw localVolumeUnusable({ name, reason: 'cannot have this name' });
  };
  return {
    nodeName,
    pathOf,
    make: async (name) => {
      const folder = pathOf(name);
      await mkdir(root, { recursive: true, mode: PARENT_MODE });
      checkOwnFolder(root);
      await makeOpenFolder(folder, name);
      await flush(root);
    },
    remove: async (name) => {
      const folder = pathOf(name);
      if (!(await exists(root))) return;
      checkOwnFolder(root);
      // Not earlier: an API server that removes no volume does not load code of the kubelet.
      const { removeTree } = await import('../../kubelet/volumes/teardown/tree-removal.ts');
      await removeTree(folder);
    },
  };
}

/** No container has used it yet: its volume is created after it. */
async function makeOpenFolder(folder: string, name: string): Promise<void> {
  await mkdir(folder).catch(async (error: unknown) => {
    const found = await lstat(folder);
    if (!found.isDirectory()) {
      throw localVolumeUnusable({ name, reason: 'is something else than a folder' }, error);
    }
  });
  // The umask may have closed it.
  await chmod(folder, OPEN_MODE);
}

/** After a power failure the folder of a stored volume must exist. */
async function flush(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function exists(folder: string): Promise<boolean> {
  return lstat(folder).then(
    () => true,
    () => false,
  );
}

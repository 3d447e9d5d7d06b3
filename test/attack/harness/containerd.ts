/** The containerd that the mode `containerd` attacks: a separate one, with the image of attackers. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { containerdFolder } from '../../../scripts/cluster/cache-folder.ts';
import { Containerd } from '../../cluster/support/containerd.ts';
import { criCall } from '../../cluster/support/cri-call.ts';
import { waitFor } from '../../e2e/support/patience.ts';
import { ATTACKER_IMAGE, makeAttackerImage } from './attacker-image.ts';

const VERSION = '2.1';
const IMAGE_MS = 60_000;

/** A string: why it cannot be attacked on this machine. */
export function whyNoContainerd(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'containerd needs root';
  const program = path.join(containerdFolder(VERSION, process.env), 'containerd');
  if (existsSync(program)) return undefined;
  return `no containerd ${VERSION} in the cache: npm run cluster:build puts it there`;
}

export async function startAttackedContainerd(): Promise<Containerd> {
  const containerd = new Containerd({ version: VERSION, name: 'attack' });
  try {
    await containerd.start();
    await containerd.importImages();
    const archive = makeAttackerImage(path.join(containerd.folder, 'attacker'));
    containerd.ctr('images', 'import', archive);
    await waitFor({ what: 'the image of attackers', deadlineMs: IMAGE_MS }, async () => {
      const answer = await criCall(containerd.socket, 'ImageService', 'ListImages');
      const known = answer.messages(1).flatMap((image) => image.texts(2));
      return known.includes(ATTACKER_IMAGE) ? true : undefined;
    });
    return containerd;
  } catch (error) {
    await containerd.remove();
    throw error;
  }
}

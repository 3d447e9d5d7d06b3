/**
 * The images that are present without a pull, and those that only the registry has.
 *
 *     docker.io/library/busybox:1.36   a shell
 *     docker.io/local/busy:1           the same under the recordings' name, as a separate image: of one
 *                                      with two names containerd reports either
 *     docker.io/library/nonroot:1      the same, and runs as the user 1000
 *     docker.io/library/named-user:1   the same, and names that user, so its UID is unknown
 *     registry.k8s.io/pause:3.10       what holds a sandbox open
 */
import path from 'node:path';
import { ImageLayout } from './oci-image.ts';
import { makeRootFileSystems } from './root-file-system.ts';

export const BUSYBOX = 'docker.io/library/busybox:1.36';
export const NONROOT = 'docker.io/library/nonroot:1';
export const NAMED_USER = 'docker.io/library/named-user:1';
export const PAUSE = 'registry.k8s.io/pause:3.10';
/** As the recordings of the real kubelet name theirs. */
const RECORDED = 'docker.io/local/busy:1';

const ENV = ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'];

export function makeTestImages(folder: string): ImageLayout {
  const { busybox, pause } = makeRootFileSystems(folder);
  const layout = new ImageLayout(path.join(folder, 'layout'));
  const shell = { Env: ENV, Cmd: ['sh'] };
  layout.add({ names: [BUSYBOX], layer: busybox, config: shell });
  layout.add({ names: [RECORDED], layer: busybox, config: { ...shell, Labels: { of: RECORDED } } });
  layout.add({ names: [NONROOT], layer: busybox, config: { ...shell, User: '1000' } });
  layout.add({ names: [NAMED_USER], layer: busybox, config: { ...shell, User: 'app' } });
  layout.add({ names: [PAUSE], layer: pause, config: { Env: ENV, Entrypoint: ['/pause'] } });
  return layout;
}

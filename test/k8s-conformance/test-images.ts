/**
 * The images that Kubernetes' tests name, made of agnhost and Debian's busybox:
 *
 *     agnhost            Kubernetes' own program, with a shell and curl of this machine beside it
 *     kitten, nautilus   the same, serving their file
 *     nginx              a stand-in: agnhost serves files where nginx would
 *     nonewprivs         Kubernetes' own program, with the bit that gives it the rights of root
 *     busybox, nonroot   a shell
 *     pause              what holds a sandbox open
 *
 * Images that are not here (perl, sample-apiserver, etcd, …) cannot be pulled, and their tests fail.
 */
import { chmodSync, copyFileSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { conformanceFiles, conformancePath } from '../../scripts/cluster/cache-folder.ts';
import { ImageLayout } from '../cluster/support/images/oci-image.ts';
import { makeRootFileSystems, pack } from '../cluster/support/images/root-file-system.ts';
import { copyTool } from '../e2e/pods/small-root.ts';

/** The host of all of them. */
export const REGISTRY = 'registry.k8s.io';
const E2E = `${REGISTRY}/e2e-test-images`;
const ENV = ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'];
const WEB = ['test-webserver'];

/** As the Dockerfile of agnhost has them. */
const PASSWD = [
  'root:x:0:0:root:/root:/bin/sh',
  'user-defined-in-image:x:1000:1000::/home/user-defined-in-image:/bin/sh',
  'nobody:x:65534:65534:nobody:/:/bin/false',
];
const GROUP = [
  'root:x:0:',
  'user-defined-in-image:x:1000:',
  'group-defined-in-image:x:50000:user-defined-in-image',
  'nobody:x:65534:',
];

/** Works in its own folder. Names and versions are those that Kubernetes' tests use. */
export function makeConformanceImages(folder: string): ImageLayout {
  mkdirSync(folder, { recursive: true });
  const { busybox, pause } = makeRootFileSystems(folder);
  const layers = new Layers(folder);
  const agnhost = layers.make('agnhost', addAgnhost);
  const layout = new ImageLayout(path.join(folder, 'layout'));
  const add = (names: readonly string[], above: readonly string[], config: object): void => {
    layout.add({ names, layer: busybox, above, config: { Env: ENV, ...config } });
  };
  const web = (name: string, files: string): void =>
    add([name], [agnhost, files], { Entrypoint: ['/agnhost'], Cmd: WEB });
  add([`${E2E}/agnhost:2.63.0`], [agnhost], { Entrypoint: ['/agnhost'], Cmd: ['pause'] });
  // With a label, since of one image with two names containerd reports either.
  const older = { Labels: { version: '2.55' }, Entrypoint: ['/agnhost'], Cmd: ['pause'] };
  add([`${E2E}/agnhost:2.55`], [agnhost], older);
  for (const name of ['kitten', 'nautilus']) {
    web(
      `${E2E}/${name}:1.8`,
      layers.make(name, (files) => copyKubernetesFiles(name, files)),
    );
  }
  for (const version of ['1.15-4', '1.27-0']) {
    web(`${E2E}/nginx:${version}`, layers.make(`nginx-${version}`, addPage(version)));
  }
  add([`${E2E}/busybox:1.37.0-1`], [], { Cmd: ['sh'] });
  add([`${E2E}/nonroot:1.5`], [], { Cmd: ['sh'], User: '1234' });
  add([`${E2E}/nonewprivs:1.4`], [layers.make('nonewprivs', addSetuid)], { Cmd: ['nnp'] });
  const config = { Env: ENV, Entrypoint: ['/pause'] };
  layout.add({ names: [`${REGISTRY}/pause:3.10.2`], layer: pause, config });
  return layout;
}

class Layers {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The path of a tar file with what `fill` puts into a folder. */
  make(name: string, fill: (files: string) => void): string {
    const files = path.join(this.#folder, `${name}-files`);
    mkdirSync(files);
    fill(files);
    return pack(files, path.join(this.#folder, `${name}.tar`));
  }
}

function addAgnhost(files: string): void {
  for (const name of ['bin', 'etc', 'uploads', 'home/user-defined-in-image']) {
    mkdirSync(path.join(files, name), { recursive: true });
  }
  copyFileSync(conformancePath('agnhost', process.env), path.join(files, 'agnhost'));
  symlinkSync('agnhost', path.join(files, 'agnhost-2'));
  copyKubernetesFiles('agnhost', files);
  copyTool(files, 'curl');
  writeFileSync(path.join(files, 'etc/passwd'), `${PASSWD.join('\n')}\n`);
  writeFileSync(path.join(files, 'etc/group'), `${GROUP.join('\n')}\n`);
}

function addSetuid(files: string): void {
  const program = path.join(files, 'usr/local/bin/nnp');
  mkdirSync(path.dirname(program), { recursive: true });
  copyFileSync(conformancePath('nonewprivs', process.env), program);
  chmodSync(program, 0o4755);
}

function addPage(version: string): (files: string) => void {
  return (files) => writeFileSync(path.join(files, 'index.html'), `nginx ${version}\n`);
}

function copyKubernetesFiles(image: string, files: string): void {
  cpSync(path.join(conformanceFiles(process.env), image), files, { recursive: true });
}

/**
 * The image of attackers where containers are real ones: busybox, and programs of this machine where
 * busybox differs or lacks something. Perl comes with the modules that attackers load.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { ImageLayout } from '../../cluster/support/images/oci-image.ts';
import { makeRootFileSystems, pack } from '../../cluster/support/images/root-file-system.ts';
import { copyTool } from '../../e2e/pods/small-root.ts';

export const ATTACKER_IMAGE = 'docker.io/library/sh:latest';
const TOOLS = ['perl', 'head', 'yes', 'truncate', 'fallocate', 'stat', 'timeout', 'find', 'date'];
const MODULES = ['strict', 'warnings', 'Errno', 'Fcntl', 'POSIX', 'Socket'];
const ENV = ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'];

/** Works below a folder; returns an archive that `ctr images import` takes. */
export function makeAttackerImage(folder: string): string {
  mkdirSync(folder, { recursive: true });
  const { busybox } = makeRootFileSystems(folder);
  const files = path.join(folder, 'root');
  mkdirSync(files);
  execFileSync('tar', ['-C', files, '-xf', busybox]);
  for (const tool of TOOLS) {
    rmSync(path.join(files, 'bin', tool), { force: true });
    copyTool(files, tool);
  }
  // Scripts name programs by the paths of a machine whose /bin is /usr/bin.
  symlinkSync('../bin', path.join(files, 'usr/bin'));
  for (const file of perlFiles()) {
    const target = path.join(files, file);
    mkdirSync(path.dirname(target), { recursive: true });
    copyFileSync(realpathSync(file), target);
  }
  const layer = pack(files, path.join(folder, 'attacker.tar'));
  const layout = new ImageLayout(path.join(folder, 'layout'));
  layout.add({ names: [ATTACKER_IMAGE], layer, config: { Env: ENV, Cmd: ['sh'] } });
  const archive = path.join(folder, 'images.tar');
  layout.writeArchive(archive);
  rmSync(files, { recursive: true });
  return archive;
}

/** Modules and the libraries that they load, as Perl itself names them once they are loaded. */
function perlFiles(): readonly string[] {
  const script = 'print "$_\\n" for grep { m{^/} } values %INC, @DynaLoader::dl_shared_objects';
  const args = [...MODULES.map((name) => `-M${name}`), '-e', script];
  return execFileSync('perl', args, { encoding: 'utf8' }).trim().split('\n');
}

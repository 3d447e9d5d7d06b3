/**
 * The image that replaces the machine where pods are processes: the tests of pods run `sh` or `node` as
 * they find them. Here they find busybox, and what it lacks, from this machine.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { copyTool } from '../../../e2e/pods/small-root.ts';
import { ImageLayout } from './oci-image.ts';
import { makeRootFileSystems, pack } from './root-file-system.ts';

/** The date of busybox knows whole seconds only. */
const TOOLS = ['node', 'date'];
const NAMES = ['docker.io/library/sh:latest', 'docker.io/library/node:latest'];
const ENV = ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'];

/** Works in its own folder, and leaves nothing there but the image. */
export function makeMachineImage(folder: string): ImageLayout {
  mkdirSync(folder);
  const { busybox } = makeRootFileSystems(folder);
  const files = path.join(folder, 'machine');
  mkdirSync(files);
  execFileSync('tar', ['-C', files, '-xf', busybox]);
  for (const tool of TOOLS) {
    rmSync(path.join(files, 'bin', tool), { force: true });
    copyTool(files, tool);
  }
  const layer = pack(files, path.join(folder, 'machine.tar'));
  const layout = new ImageLayout(path.join(folder, 'layout'));
  layout.add({ names: NAMES, layer, config: { Env: ENV, Cmd: ['sh'] } });
  for (const each of [files, layer]) rmSync(each, { recursive: true });
  return layout;
}

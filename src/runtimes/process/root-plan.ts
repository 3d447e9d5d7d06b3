/**
 * Decides how the root of a container is put together, as folders to make and mounts to mount.
 *
 *     t      a file system in memory, gone with the container
 *     t/r    the root that the container sees
 *     t/d    its /dev
 *     t/u    what it writes above what it sees of the machine or of its image
 *     t/s    folders that stand in for shared ones
 *
 * All of that is copied from a template on disk, which containers of one shape have in common: making
 * fifty folders for each of them would take longer than everything else.
 *
 * Without an image the root is made of the machine's own folders, each under a layer of the
 * container's, so that it can write and change nothing; /tmp, /run and /dev are its own. A folder in
 * which other file systems are mounted cannot be layered inside a user namespace: it is shared as it
 * is. Root layers it, and the disks in it. A mount point that is not there is made in the layer, where the machine does not see it.
 *
 * 1. What is hidden is covered before anything that was asked for is mounted.
 * 2. A mount below another mount comes after it.
 * 3. A layer shows no folder with a wider mode than the machine does.
 */
import { readdirSync, readlinkSync, type Stats } from 'node:fs';
import path from 'node:path';
import type { MountWish } from '../../lib/kernel-hand/kernel-calls.ts';
import type { Mount } from '../../ports/runtime/container-config.ts';
import { mountUnusable } from './errors.ts';
import type { Top } from './machine-tops.ts';
import { flagsOf, isInside, type HostMount } from './mount-table.ts';
import { lookAt, lookThrough, resolveInRoot } from './path-in-root.ts';

export interface RootRequest {
  /** A folder for all of that. */
  readonly place: string;
  /** Absent: made of the machine's own folders. */
  readonly imageRoot?: string | undefined;
  /** Of the machine's root; not asked for with an image. */
  readonly tops: () => readonly Top[];
  readonly mounts: readonly Mount[];
  readonly hidden: readonly string[];
  readonly workingDir: string;
  readonly hostMounts: readonly HostMount[];
  readonly isRoot: boolean;
  /** As whom the command runs. */
  readonly uid: number;
  readonly hasLayers: boolean;
  readonly hasProcesses: boolean;
  /** A terminal lives in the machine's own /dev/pts. */
  readonly hasTerminal: boolean;
  readonly isReadOnly: boolean;
  /** The pod's shared memory, on the machine. */
  readonly sharedMemory?: string | undefined;
}

export interface RootPlan {
  readonly root: string;
  /** Where the file system in memory goes. */
  readonly memory: string;
  /** What is in it before anything is mounted. */
  readonly template: Template;
  /** Mount points inside volumes, which are on disk. */
  readonly outside: Pick<Template, 'folders' | 'files'>;
  /** What is mounted then, in this order. */
  readonly table: readonly MountWish[];
}

export interface Template {
  readonly folders: readonly string[];
  readonly files: readonly string[];
  readonly links: readonly (readonly [target: string, file: string])[];
  /** Folders that look otherwise than usual; without an owner they are ours. */
  readonly looks: readonly Look[];
}

export interface Look {
  readonly folder: string;
  readonly mode: number;
  readonly owner?: { readonly uid: number; readonly gid: number };
}

type TopKind = 'layer' | 'shared' | 'own';

/** A name that needs no escaping in the options of a layer. */
const PLAIN_NAME = /^[\w.+-]+$/;
const PLAIN_PATH = /^[\w.+/-]+$/;
/** What may hold files that people keep. */
const DISKS: ReadonlySet<string> = new Set(['ext2', 'ext3', 'ext4', 'xfs', 'btrfs', 'f2fs', 'zfs']);
const OWN_TOPS = ['tmp', 'run', 'dev', 'proc', 'sys'];
const DEVICES = ['null', 'zero', 'full', 'random', 'urandom', 'tty'];
const DEVICE_LINKS: readonly (readonly [string, string])[] = [
  ['/proc/self/fd', 'fd'],
  ['/proc/self/fd/0', 'stdin'],
  ['/proc/self/fd/1', 'stdout'],
  ['/proc/self/fd/2', 'stderr'],
];

export function planRoot(request: RootRequest): RootPlan {
  const planner = new Planner(request);
  if (request.imageRoot === undefined) planner.addMachine();
  else planner.addImage(request.imageRoot);
  planner.addSystem();
  planner.addDevices();
  for (const folder of request.hidden) planner.hide(folder);
  const depth = (mount: Mount): number => mount.containerPath.split('/').length;
  for (const mount of request.mounts.toSorted((a, b) => depth(a) - depth(b))) planner.add(mount);
  planner.addFolder(request.workingDir);
  return planner.finish();
}

class Planner {
  readonly #request: RootRequest;
  readonly #root: string;
  readonly #memory: string;
  readonly #source: string;
  readonly #folders: string[] = [];
  readonly #files: string[] = [];
  readonly #links: (readonly [string, string])[] = [];
  readonly #looks = new Map<string, Look>();
  readonly #table: MountWish[] = [];
  readonly #tops = new Map<string, TopKind>();
  readonly #mounted: { readonly at: string; readonly from: string }[] = [];

  constructor(request: RootRequest) {
    this.#request = request;
    this.#memory = `${request.place}/t`;
    this.#root = `${this.#memory}/r`;
    this.#source = request.imageRoot ?? '/';
    this.#folders.push(this.#root);
    // A root that is to stay as it is becomes a mount of its own, before anything is mounted in it.
    if (request.isReadOnly) {
      this.#line(this.#root, this.#root, 'none', ['bind', 'ro', 'nosuid', 'nodev']);
    }
  }

  addMachine(): void {
    for (const name of OWN_TOPS) this.#tops.set(name, 'own');
    this.#folders.push(...['tmp', 'run', 'proc', 'sys', 'dev'].map((n) => `${this.#root}/${n}`));
    this.#look(`${this.#root}/tmp`, 0o1777);
    for (const top of this.#request.tops()) {
      const { name, link, stats } = top;
      if (this.#tops.has(name) || !PLAIN_NAME.test(name)) continue;
      if (link !== undefined) this.#links.push([link, `${this.#root}/${name}`]);
      else if (stats.isDirectory()) this.#addTop(top);
    }
    this.#addDisks();
  }

  #addTop(top: Top): void {
    const { name, stats: found } = top;
    const target = `${this.#root}/${name}`;
    const kind = this.#kindOf(top);
    this.#tops.set(name, kind);
    this.#folders.push(target);
    if (kind === 'layer') this.#addLayer(`/${name}`, name, target, found);
    else if (kind === 'shared') this.#line(`/${name}`, target, 'none', ['rbind']);
    else if (isPrivate(found)) this.#look(target, 0o700);
  }

  /** What is empty, or closed to the one who runs the command, need not be mounted to look the same. */
  #kindOf({ name, stats: found, isEmpty }: Top): TopKind {
    const { hostMounts, hasLayers, isRoot, uid } = this.#request;
    const hasMounts = hostMounts.some(({ point }) => point.startsWith(`/${name}/`));
    if (hasMounts && !isRoot) return 'shared';
    if (isRoot && isPrivate(found) && found.uid !== uid && uid !== 0) return 'own';
    if (!isPrivate(found) && !hasMounts && isEmpty) return 'own';
    return hasLayers ? 'layer' : 'shared';
  }

  /** Root may layer a folder in spite of what is mounted in it, which the layer then does not show. */
  #addDisks(): void {
    const { hostMounts, isRoot, hasLayers } = this.#request;
    if (!isRoot || !hasLayers) return;
    const disks = hostMounts.filter(
      ({ point, type }) =>
        DISKS.has(type) &&
        PLAIN_PATH.test(point) &&
        point.lastIndexOf('/') > 0 &&
        this.#tops.get(topOf(point)) === 'layer',
    );
    for (const [index, { point }] of disks.entries()) {
      const found = lookAt(point);
      if (found?.isDirectory()) {
        this.#addLayer(point, `.disk-${index}`, `${this.#root}${point}`, found);
      }
    }
  }

  addImage(imageRoot: string): void {
    const found = lookAt(imageRoot);
    if (found === undefined) throw mountUnusable({ containerPath: '/', reason: 'no such image' });
    this.#addLayer(imageRoot, '', this.#root, found);
    for (const name of ['proc', 'sys', 'dev']) {
      if (lookAt(`${imageRoot}/${name}`) === undefined) this.addFolder(`/${name}`);
    }
  }

  #addLayer(lower: string, name: string, target: string, found: Stats): void {
    const { isRoot, isReadOnly, hasLayers } = this.#request;
    if (!hasLayers) return this.#line(lower, target, 'none', ['rbind']);
    const [upper, work] = [`${this.#memory}/u/${name}`, `${this.#memory}/w/${name}`];
    this.#folders.push(upper, work);
    this.#liken(upper, found);
    const options = [`lowerdir=${lower}`, `upperdir=${upper}`, `workdir=${work}`];
    if (!isRoot) options.push('userxattr');
    if (isReadOnly) options.push('ro');
    this.#line('overlay', target, 'overlay', options);
  }

  addSystem(): void {
    const { isRoot, hasProcesses } = this.#request;
    const safe = ['nosuid', 'nodev', 'noexec'];
    if (hasProcesses) this.#line('proc', `${this.#root}/proc`, 'proc', safe);
    else this.#line('/proc', `${this.#root}/proc`, 'none', ['rbind']);
    if (isRoot) this.#line('sysfs', `${this.#root}/sys`, 'sysfs', ['ro', ...safe]);
    else this.#line('/sys', `${this.#root}/sys`, 'none', ['rbind']);
  }

  addDevices(): void {
    const { hasTerminal, sharedMemory } = this.#request;
    const [own, dev] = [`${this.#memory}/d`, `${this.#root}/dev`];
    this.#folders.push(own, `${own}/pts`, `${own}/shm`);
    this.#line(own, dev, 'none', ['bind']);
    for (const name of DEVICES.filter((device) => lookAt(`/dev/${device}`))) {
      this.#files.push(`${own}/${name}`);
      this.#line(`/dev/${name}`, `${dev}/${name}`, 'none', ['bind']);
    }
    for (const [target, name] of DEVICE_LINKS) this.#links.push([target, `${own}/${name}`]);
    if (hasTerminal) {
      this.#files.push(`${own}/ptmx`);
      this.#line('/dev/pts', `${dev}/pts`, 'none', ['bind']);
      this.#line('/dev/ptmx', `${dev}/ptmx`, 'none', ['bind']);
    } else {
      this.#links.push(['pts/ptmx', `${own}/ptmx`]);
      const options = ['newinstance', 'ptmxmode=0666', 'mode=0620', 'nosuid', 'noexec'];
      this.#line('devpts', `${dev}/pts`, 'devpts', options);
    }
    this.#look(`${own}/shm`, 0o1777);
    if (sharedMemory !== undefined) this.#line(sharedMemory, `${dev}/shm`, 'none', ['bind']);
  }

  /** Whatever the machine has at that path is covered; only if it could be seen at all. */
  hide(folder: string): void {
    if (this.#request.imageRoot !== undefined) return;
    const seen = this.#resolve(folder);
    if (this.#tops.get(topOf(seen)) === 'own' || !lookAt(seen)?.isDirectory()) return;
    this.#line('tmpfs', `${this.#root}${seen}`, 'tmpfs', ['ro', 'size=4k', 'mode=0']);
  }

  add(mount: Mount): void {
    const { containerPath, hostPath, isReadOnly } = mount;
    const reject = (reason: string): Error => mountUnusable({ containerPath, reason });
    if (!path.isAbsolute(containerPath)) throw reject('the path is not absolute');
    const found = lookThrough(hostPath);
    if (found === undefined) throw reject(`${hostPath} is not there`);
    const at = this.#resolve(containerPath);
    this.#make(at, found.isDirectory());
    const flags = flagsOf(hostPath, this.#request.hostMounts);
    const kept = isReadOnly ? ['ro', ...flags.filter((flag) => flag !== 'ro')] : flags;
    const bind = found.isDirectory() ? 'rbind' : 'bind';
    // Only a change of the mount has to name the flags; a plain bind keeps them by itself.
    this.#line(hostPath, `${this.#root}${at}`, 'none', isReadOnly ? [bind, ...kept] : [bind]);
    this.#mounted.push({ at, from: hostPath });
  }

  addFolder(folder: string): void {
    this.#make(this.#resolve(folder), true);
  }

  finish(): RootPlan {
    const inMemory = (file: string): boolean => file.startsWith(`${this.#memory}/`);
    const onDisk = (file: string): boolean => !inMemory(file);
    const folders = [...new Set(this.#folders)];
    return {
      root: this.#root,
      memory: this.#memory,
      template: {
        folders: folders.filter(inMemory),
        files: this.#files.filter(inMemory),
        links: this.#links,
        looks: [...this.#looks.values()],
      },
      outside: { folders: folders.filter(onDisk), files: this.#files.filter(onDisk) },
      table: this.#table,
    };
  }

  #look(folder: string, mode: number, owner?: { uid: number; gid: number }): void {
    this.#looks.set(folder, owner ? { folder, mode, owner } : { folder, mode });
  }

  #line(source: string, target: string, type: string, options: readonly string[]): void {
    this.#table.push({ source, target, type, options });
  }

  #resolve(target: string): string {
    const { imageRoot } = this.#request;
    return resolveInRoot(this.#source, target, (file) => {
      if (this.#mounted.some(({ at }) => isInside(file, at))) return true;
      return imageRoot === undefined && this.#tops.get(topOf(file)) === 'own';
    });
  }

  /** Sees to it that there is something at a path, to mount on. */
  #make(at: string, isFolder: boolean): void {
    if (at === '/') return;
    const over = this.#mounted.findLast((mount) => isInside(at, mount.at));
    if (over) return this.#put(path.join(over.from, at.slice(over.at.length)), isFolder);
    const { imageRoot } = this.#request;
    const top = topOf(at);
    if (top === 'dev' && at !== '/dev')
      return this.#put(`${this.#memory}/d${at.slice(4)}`, isFolder);
    const kind = imageRoot === undefined ? (this.#tops.get(top) ?? 'own') : 'layer';
    if (kind === 'own') return this.#put(`${this.#root}${at}`, isFolder);
    if (lookAt(path.join(this.#source, at))) return;
    if (kind === 'shared') return this.#split(at, isFolder);
    this.#likenParents(at);
    this.#put(`${this.#memory}/u${at}`, isFolder);
  }

  #put(file: string, isFolder: boolean): void {
    this.#folders.push(isFolder ? file : path.dirname(file));
    if (!isFolder) this.#files.push(file);
  }

  /**
   * A shared folder has no layer to make a mount point in. It is built anew instead: a folder of ours
   * in its place, with all that is in it mounted into ours.
   */
  #split(at: string, isFolder: boolean): void {
    const parent = nearestFolder(at);
    const stand = `${this.#memory}/s${parent}`;
    this.#folders.push(stand);
    this.#line(stand, `${this.#root}${parent}`, 'none', ['bind']);
    for (const name of readdirSync(parent)) {
      const found = lookAt(`${parent}/${name}`);
      const [from, to] = [`${parent}/${name}`, `${stand}/${name}`];
      if (found?.isSymbolicLink()) this.#links.push([readlinkSync(from), to]);
      else if (found?.isDirectory()) this.#folders.push(to);
      else if (found?.isFile()) this.#files.push(to);
      else continue;
      if (found.isSymbolicLink()) continue;
      this.#line(from, `${this.#root}${from}`, 'none', ['rbind']);
    }
    this.#put(`${this.#memory}/s${at}`, isFolder);
    this.#mounted.push({ at: parent, from: stand });
    for (const folder of this.#request.hidden) if (isInside(folder, parent)) this.hide(folder);
  }

  #likenParents(at: string): void {
    for (let folder = path.dirname(at); folder !== '/'; folder = path.dirname(folder)) {
      const found = lookAt(path.join(this.#source, folder));
      if (found?.isDirectory()) this.#liken(`${this.#memory}/u${folder}`, found);
    }
  }

  /** In a user namespace the owner is always us, and the machine's rights still count below. */
  #liken(folder: string, found: Stats): void {
    const { mode, uid, gid } = found;
    if (this.#request.isRoot) this.#look(folder, mode & 0o7777, { uid, gid });
  }
}

function isPrivate({ mode }: Stats): boolean {
  return (mode & 0o077) === 0;
}

function topOf(file: string): string {
  return file.split('/')[1] ?? '';
}

function nearestFolder(at: string): string {
  let folder = path.dirname(at);
  while (folder !== '/' && !lookAt(folder)?.isDirectory()) folder = path.dirname(folder);
  return folder;
}

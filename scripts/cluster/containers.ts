/**
 * Downloads containerd and its tools from Debian, without installing them:
 *
 *     containerd-1.6/  containerd-2.1/   each with its ctr and its shim
 *     bin/             runc, iptables and ip6tables, which containerd and the plugins run
 *     cni/             the network plugins
 *     lib/             the libraries of iptables
 *     busybox          a static program, from which the tests build their images
 *
 * The folder gets its final name when it is complete.
 */
import { chmodSync, cpSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { programMissing } from './errors.ts';
import { withPackages } from './debian.ts';

const USE = 'to run containers in tests';
/** The Debian release whose containerd has no container events, and whose runc both versions use. */
const OLD = 'bookworm';
/** The Debian release whose containerd has container events. */
const NEW = 'sid';

const IPTABLES_LIBRARIES = [
  'libip4tc2',
  'libip6tc2',
  'libmnl0',
  'libnetfilter-conntrack3',
  'libnfnetlink0',
  'libnftnl11',
  'libxtables12',
];
const OLD_PACKAGES = [
  'containerd',
  'runc',
  'containernetworking-plugins',
  'busybox-static',
  'iptables',
  ...IPTABLES_LIBRARIES,
];
const CONTAINERD_PROGRAMS = ['containerd', 'containerd-shim-runc-v2', 'ctr'];

export async function fetchContainers(output: string): Promise<void> {
  const old = { names: OLD_PACKAGES.map((name) => `${name}/${OLD}`), releases: [OLD], use: USE };
  const late = { names: [`containerd/${NEW}`], releases: [NEW], use: USE };
  await withPackages(output, old, async (oldContent) => {
    const whole = path.join(oldContent, 'whole');
    mkdirSync(whole);
    takeContainerd(oldContent, path.join(whole, 'containerd-1.6'));
    takeOthers(oldContent, whole);
    await withPackages(output, late, (content) => {
      takeContainerd(content, path.join(whole, 'containerd-2.1'));
    });
    renameSync(whole, output);
  });
}

function takeContainerd(content: string, folder: string): void {
  mkdirSync(folder);
  for (const name of CONTAINERD_PROGRAMS) {
    renameSync(path.join(content, 'usr/bin', name), path.join(folder, name));
  }
}

function takeOthers(content: string, folder: string): void {
  const [bin, lib] = [path.join(folder, 'bin'), path.join(folder, 'lib')];
  for (const each of [bin, lib]) mkdirSync(each);
  renameSync(path.join(content, 'usr/sbin/runc'), path.join(bin, 'runc'));
  renameSync(path.join(content, 'usr/lib/cni'), path.join(folder, 'cni'));
  renameSync(path.join(content, 'bin/busybox'), path.join(folder, 'busybox'));
  cpSync(librariesOf(content), lib, { recursive: true, verbatimSymlinks: true });
  renameSync(path.join(content, 'usr/sbin/xtables-nft-multi'), path.join(lib, 'xtables-nft-multi'));
  for (const name of ['iptables', 'ip6tables', 'iptables-save']) {
    writeIptables(path.join(bin, name), name);
  }
}

/** The folder of libraries, whose name is the machine's architecture. */
function librariesOf(content: string): string {
  const parent = path.join(content, 'usr/lib');
  const name = readdirSync(parent).find((each) => each.endsWith('-linux-gnu'));
  if (name === undefined) throw programMissing({ program: 'the libraries of iptables', use: USE });
  return path.join(parent, name);
}

/**
 * Writes a wrapper script: iptables would search its libraries where the package is installed, but here they
 * are beside it.
 */
function writeIptables(file: string, name: string): void {
  const lines = [
    '#!/bin/sh',
    'lib=${0%/*}/../lib',
    'export LD_LIBRARY_PATH=$lib XTABLES_LIBDIR=$lib/xtables',
    `exec "$lib/xtables-nft-multi" ${name} "$@"`,
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  chmodSync(file, 0o755);
}

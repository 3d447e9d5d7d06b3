import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Mount } from '../../ports/runtime/container-config.ts';
import { MachineTops } from './machine-tops.ts';
import { mountLine } from './mount-table.ts';
import { planRoot, type RootPlan, type RootRequest } from './root-plan.ts';

let base: string;
let image: string;

beforeAll(() => {
  base = mkdtempSync(path.join(tmpdir(), 'podkeep-plan-'));
  image = path.join(base, 'image');
  mkdirSync(path.join(image, 'etc'), { recursive: true });
  mkdirSync(path.join(image, 'secret'), { mode: 0o700 });
  symlinkSync('/run', path.join(image, 'var-run'));
  mkdirSync(path.join(base, 'volume'));
  writeFileSync(path.join(base, 'file'), '');
});

afterAll(() => rmSync(base, { recursive: true }));

const PLACE = '/place';

function plan(changes: Partial<RootRequest> = {}): RootPlan {
  return planRoot({
    place: PLACE,
    tops: () => new MachineTops().list(0),
    mounts: [],
    hidden: [],
    workingDir: '/',
    hostMounts: [{ point: '/', type: 'ext4', flags: ['relatime'] }],
    isRoot: false,
    uid: 1000,
    hasLayers: true,
    hasProcesses: true,
    hasTerminal: false,
    isReadOnly: false,
    ...changes,
  });
}

function mount(containerPath: string, name: string, isReadOnly = false): Mount {
  const hostPath = path.join(base, name);
  return { containerPath, hostPath, isReadOnly, isRecursiveReadOnly: false, propagation: 'None' };
}

/** Where something is mounted, in order. */
function targets({ table }: RootPlan): readonly string[] {
  return table.map(({ target }) => target);
}

function lines({ table }: RootPlan): readonly string[] {
  return table.map(mountLine);
}

describe("a root of the machine's own folders", () => {
  test('has a layer above each of them, and its own /tmp, /run and /dev', () => {
    const made = plan();
    const { template } = made;
    expect(lines(made)).toContainEqual(
      'overlay /place/t/r/etc overlay lowerdir=/etc,upperdir=/place/t/u/etc,workdir=/place/t/w/etc,userxattr 0 0',
    );
    expect(template.folders).toEqual(
      expect.arrayContaining(['/place/t/r/tmp', '/place/t/r/run', '/place/t/r/proc']),
    );
    expect(template.looks).toEqual(
      ['/place/t/r/tmp', '/place/t/d/shm'].map((folder) => ({ folder, mode: 0o1777 })),
    );
    expect(lines(made).some((line) => /lowerdir=\/(tmp|run|dev|proc|sys)\b/.test(line))).toBe(
      false,
    );
  });

  test('shares a folder in which something else is mounted', () => {
    const hostMounts = [{ point: '/etc/inner', type: 'ext4', flags: [] }];
    expect(lines(plan({ hostMounts }))).toContainEqual('/etc /place/t/r/etc none rbind 0 0');
  });

  test('as root has layers above other disks too, and shows nothing else that is mounted', () => {
    const hostMounts = [
      { point: '/usr/bin', type: 'xfs', flags: [] },
      { point: '/usr/lib', type: 'overlay', flags: [] },
    ];
    const made = lines(plan({ hostMounts, isRoot: true }));
    const layers = made.filter((line) => line.startsWith('overlay /place/t/r/usr'));
    expect(layers.map((line) => line.split(' ')[1])).toEqual([
      '/place/t/r/usr',
      '/place/t/r/usr/bin',
    ]);
    expect(layers[1]).toContain('upperdir=/place/t/u/.disk-0,workdir=/place/t/w/.disk-0');
  });

  test('makes a mount point that is not there in the layer, where the machine does not see it', () => {
    const made = plan({ mounts: [mount('/etc/no-such/deep', 'volume', true)] });
    const { template } = made;
    expect(template.folders).toContain('/place/t/u/etc/no-such/deep');
    expect(lines(made).at(-1)).toBe(
      `${base}/volume /place/t/r/etc/no-such/deep none rbind,ro,relatime 0 0`,
    );
  });

  test('makes one that the machine has no place for at all in the root itself', () => {
    const { template } = plan({ mounts: [mount('/no-such/file', 'file')] });
    expect(template.folders).toContain('/place/t/r/no-such');
    expect(template.files).toContain('/place/t/r/no-such/file');
  });

  test('builds a shared folder anew when something must be mounted in it that is not there', () => {
    const hostMounts = [{ point: '/usr/inner', type: 'ext4', flags: [] }];
    const planned = plan({ hostMounts, mounts: [mount('/usr/no-such', 'volume')] });
    expect(lines(planned)).toContainEqual('/place/t/s/usr /place/t/r/usr none bind 0 0');
    expect(lines(planned)).toContainEqual('/usr/bin /place/t/r/usr/bin none rbind 0 0');
    expect(planned.template.folders).toEqual(
      expect.arrayContaining(['/place/t/s/usr/bin', '/place/t/s/usr/no-such']),
    );
    expect(targets(planned).at(-1)).toBe('/place/t/r/usr/no-such');
  });

  test('covers what is hidden before anything that was asked for is mounted', () => {
    const planned = plan({
      hidden: ['/etc', '/no/such/folder'],
      mounts: [mount('/etc/x', 'volume')],
    });
    const [cover, asked] = ['/place/t/r/etc', '/place/t/r/etc/x'].map((at) =>
      targets(planned).lastIndexOf(at),
    );
    expect(lines(planned)[cover ?? 0]).toMatch(/^tmpfs .* ro,size=4k,mode=0 /);
    expect(asked).toBeGreaterThan(cover ?? 0);
    expect(targets(planned)).not.toContain('/place/t/r/no/such/folder');
  });

  test('mounts a mount below another one after it', () => {
    const mounts = [mount('/data/a/b', 'volume'), mount('/data', 'volume')];
    expect(targets(plan({ mounts })).slice(-2)).toEqual(['/place/t/r/data', '/place/t/r/data/a/b']);
  });
});

describe('a root from an image', () => {
  test('is one layer above its folder, and follows its links', () => {
    const planned = plan({ imageRoot: image, mounts: [mount('/var-run/x', 'volume')] });
    expect(lines(planned)[0]).toContain(`overlay /place/t/r overlay lowerdir=${image},`);
    expect(planned.template.folders).toContain('/place/t/u/run/x');
    expect(targets(planned).at(-1)).toBe('/place/t/r/run/x');
  });

  test('shows no folder with a wider mode than the image does', () => {
    const mounts = [mount('/secret/x', 'volume')];
    const { template } = plan({ imageRoot: image, isRoot: true, mounts });
    const owner = { uid: process.getuid?.(), gid: process.getgid?.() };
    const look = { folder: '/place/t/u/secret', mode: 0o700, owner };
    expect(template.looks).toContainEqual(look);
  });

  test('has a folder for its command even if the image has not', () => {
    expect(plan({ imageRoot: image, workingDir: '/srv/app' }).template.folders).toContain(
      '/place/t/u/srv/app',
    );
  });
});

describe('what cannot be mounted is named', () => {
  test('a volume that is not there', () => {
    expect(() => plan({ mounts: [mount('/x', 'missing')] })).toThrow(
      /cannot mount at \/x: .* not there/,
    );
  });

  test('a path that is not absolute', () => {
    expect(() => plan({ mounts: [mount('x', 'volume')] })).toThrow(/cannot mount at x: .*absolute/);
  });
});

test('a root that is to stay as it is is a mount of its own, before all others', () => {
  const table = lines(plan({ isReadOnly: true }));
  expect(table[0]).toBe('/place/t/r /place/t/r none bind,ro,nosuid,nodev 0 0');
  expect(
    table.filter((line) => line.startsWith('overlay')).every((line) => line.includes(',ro ')),
  ).toBe(true);
});

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Mount } from '../../ports/runtime/container-config.ts';
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
  return table.map((line) => line.split(' ')[1] ?? '');
}

describe("a root of the machine's own folders", () => {
  test('has a layer above each of them, and its own /tmp, /run and /dev', () => {
    const { table, folders, open } = plan();
    expect(table).toContainEqual(
      'overlay /place/r/etc overlay lowerdir=/etc,upperdir=/place/t/u/etc,workdir=/place/t/w/etc,userxattr 0 0',
    );
    expect(folders).toEqual(
      expect.arrayContaining(['/place/r/tmp', '/place/r/run', '/place/r/proc']),
    );
    expect(open).toEqual(['/place/r/tmp', '/place/d/shm']);
    expect(table.some((line) => /lowerdir=\/(tmp|run|dev|proc|sys)\b/.test(line))).toBe(false);
  });

  test('shares a folder in which something else is mounted', () => {
    const hostMounts = [{ point: '/etc/inner', type: 'ext4', flags: [] }];
    expect(plan({ hostMounts }).table).toContainEqual('/etc /place/r/etc none rbind 0 0');
  });

  test('as root has layers above other disks too, and shows nothing else that is mounted', () => {
    const hostMounts = [
      { point: '/usr/bin', type: 'xfs', flags: [] },
      { point: '/usr/lib', type: 'overlay', flags: [] },
    ];
    const { table } = plan({ hostMounts, isRoot: true });
    const layers = table.filter((line) => line.startsWith('overlay /place/r/usr'));
    expect(layers.map((line) => line.split(' ')[1])).toEqual(['/place/r/usr', '/place/r/usr/bin']);
    expect(layers[1]).toContain('upperdir=/place/t/u/.disk-0,workdir=/place/t/w/.disk-0');
  });

  test('makes a mount point that is not there in the layer, where the machine does not see it', () => {
    const { layers, table } = plan({ mounts: [mount('/etc/no-such/deep', 'volume', true)] });
    expect(layers.folders).toContain('/place/t/u/etc/no-such/deep');
    expect(table.at(-1)).toBe(
      `${base}/volume /place/r/etc/no-such/deep none rbind,ro,relatime 0 0`,
    );
  });

  test('makes one that the machine has no place for at all in the root itself', () => {
    const { folders, files } = plan({ mounts: [mount('/no-such/file', 'file')] });
    expect(folders).toContain('/place/r/no-such');
    expect(files).toContain('/place/r/no-such/file');
  });

  test('builds a shared folder anew when something must be mounted in it that is not there', () => {
    const hostMounts = [{ point: '/usr/inner', type: 'ext4', flags: [] }];
    const planned = plan({ hostMounts, mounts: [mount('/usr/no-such', 'volume')] });
    expect(planned.table).toContainEqual('/place/s/usr /place/r/usr none bind 0 0');
    expect(planned.table).toContainEqual('/usr/bin /place/r/usr/bin none rbind 0 0');
    expect(planned.folders).toEqual(
      expect.arrayContaining(['/place/s/usr/bin', '/place/s/usr/no-such']),
    );
    expect(targets(planned).at(-1)).toBe('/place/r/usr/no-such');
  });

  test('covers what is hidden before anything that was asked for is mounted', () => {
    const planned = plan({
      hidden: ['/etc', '/no/such/folder'],
      mounts: [mount('/etc/x', 'volume')],
    });
    const [cover, asked] = ['/place/r/etc', '/place/r/etc/x'].map((at) =>
      targets(planned).lastIndexOf(at),
    );
    expect(planned.table[cover ?? 0]).toMatch(/^tmpfs .* ro,size=4k,mode=0 /);
    expect(asked).toBeGreaterThan(cover ?? 0);
    expect(targets(planned)).not.toContain('/place/r/no/such/folder');
  });

  test('mounts a mount below another one after it', () => {
    const mounts = [mount('/data/a/b', 'volume'), mount('/data', 'volume')];
    expect(targets(plan({ mounts })).slice(-2)).toEqual(['/place/r/data', '/place/r/data/a/b']);
  });
});

describe('a root from an image', () => {
  test('is one layer above its folder, and follows its links', () => {
    const planned = plan({ imageRoot: image, mounts: [mount('/var-run/x', 'volume')] });
    expect(planned.table[0]).toContain(`overlay /place/r overlay lowerdir=${image},`);
    expect(planned.layers.folders).toContain('/place/t/u/run/x');
    expect(targets(planned).at(-1)).toBe('/place/r/run/x');
  });

  test('shows no folder with a wider mode than the image does', () => {
    const mounts = [mount('/secret/x', 'volume')];
    const { layers } = plan({ imageRoot: image, isRoot: true, mounts });
    const own = `${process.getuid?.()}:${process.getgid?.()}`;
    expect(layers.likenesses).toContainEqual([0o700, own, '/place/t/u/secret']);
  });

  test('has a folder for its command even if the image has not', () => {
    expect(plan({ imageRoot: image, workingDir: '/srv/app' }).layers.folders).toContain(
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
  const { table } = plan({ isReadOnly: true });
  expect(table[0]).toBe('/place/r /place/r none bind,ro,relatime 0 0');
  expect(
    table.filter((line) => line.startsWith('overlay')).every((line) => line.includes(',ro ')),
  ).toBe(true);
});

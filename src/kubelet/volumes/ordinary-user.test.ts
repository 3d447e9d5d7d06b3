/**
 * Volumes of a user who is not root. If root runs the tests, the same program runs once more as another
 * user; otherwise it runs as the current one.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { beforeAll, expect, test } from 'vitest';
import { makeTempFolder } from '../../../test/support/temp-folder.ts';

const NOBODY = 65_534;
const isRoot = process.geteuid?.() === 0;

const PROGRAM = `
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { MemoryFolder } from '../../lib/memory-folder.ts';
import { SystemMounter } from './mounts/system-mounter.ts';
import { TokenManager } from './payload/token-manager.ts';
import { VolumeLayout } from './volume-layout.ts';
import { VolumeManager } from './volume-manager.ts';
import { VolumeMemory } from './volume-memory.ts';

const [, , root, parent] = process.argv;
const events = [];
const warnings = [];
const none = () => {};
const clock = { now: () => 0, monotonic: () => 0, after: () => none };
const log = { debug: none, info: none, warn: (text) => warnings.push(text), error: none };
const key = Buffer.from('open').toString('base64');
const layout = new VolumeLayout(root);
const memory = new MemoryFolder({ dataFolder: root, parents: parent ? [parent] : [] });
const room = {
  layout,
  memory: new VolumeMemory({ layout, memory }),
  mounter: new SystemMounter({ probeFolder: root }),
  objects: { get: async () => ({ data: { key } }), subscribe: () => none },
  tokens: new TokenManager({ clock, log, random: { next: () => 0 }, source: {} }),
  node: { hostIPs: () => [], allocatable: () => ({}), services: () => [] },
  events: { record: (pod, type, reason, message) => events.push(message) },
  clock,
  log,
};
const volumes = [
  { name: 's', secret: { secretName: 'door' } },
  { name: 't', secret: { secretName: 'door' } },
  { name: 'e', emptyDir: { medium: 'Memory' } },
];
const volumeMounts = volumes.map(({ name }) => ({ name, mountPath: '/' + name }));
const pod = {
  metadata: { name: 'web', namespace: 'shop', uid: 'uid-1' },
  spec: { volumes, containers: [{ name: 'c', volumeMounts }], securityContext: { fsGroup: 1 } },
};
const signal = new AbortController().signal;
const manager = new VolumeManager(room);
await manager.waitForMounts(pod, signal);
const folder = (name) => manager.mounted('uid-1').get(name).hostPath;
const secretMode = statSync(folder('s')).mode & 0o777;
const filesOnDisk = readdirSync(layout.volumeFolder('uid-1', 'secret', 's'));
const text = readFileSync(path.join(folder('s'), 'key'), 'utf8');
mkdirSync(path.join(folder('e'), 'closed/inner'), { recursive: true });
writeFileSync(path.join(folder('e'), 'closed/inner/file'), 'x');
chmodSync(path.join(folder('e'), 'closed/inner'), 0o500);
chmodSync(path.join(folder('e'), 'closed'), 0);
const places = ['s', 't'].map(folder);
await manager.waitForUnmount(pod, signal);
const isRemoved = places.every((each) => !existsSync(each));
const isGone = !(await manager.volumesExist('uid-1'));

mkdirSync(path.join(root, 'pods/uid-2'), { recursive: true });
chmodSync(path.join(root, 'pods/uid-2'), 0o500);
const refused = new AbortController();
room.events.record = (pod, type, reason, message) => {
  events.push(message);
  refused.abort();
};
const second = { ...pod, metadata: { ...pod.metadata, uid: 'uid-2' } };
await manager.waitForMounts(second, refused.signal).catch(none);
chmodSync(path.join(root, 'pods/uid-2'), 0o700);
await manager.stop();
const facts = { secretMode, text, places, filesOnDisk, isRemoved, isGone, events, warnings };
console.log(JSON.stringify(facts));
`;

beforeAll(() => {
  if (!isRoot) console.log('this user is no root: the program runs as it is');
});

const SHARED_MEMORY = '/dev/shm';

/** What the program found, and the root folder of the node. */
async function run(parent = ''): Promise<{ root: string; facts: Record<string, unknown> }> {
  const folder = makeTempFolder();
  chmodSync(folder, 0o777);
  const root = path.join(folder, 'root');
  mkdirSync(root);
  chmodSync(root, 0o777);
  const outfile = path.join(folder, 'program.mjs');
  await build({
    stdin: { contents: PROGRAM, resolveDir: import.meta.dirname, loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    outfile,
    logLevel: 'warning',
  });
  const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  const options = { ...user, cwd: folder, encoding: 'utf8', env: {} } as const;
  const node = isRoot ? nodeForEveryone(folder) : process.execPath;
  const output = execFileSync(node, [outfile, root, parent], options);
  return { root, facts: JSON.parse(output) as Record<string, unknown> };
}

test.skipIf(!existsSync(SHARED_MEMORY))(
  'a user who is not root has Secrets in memory, and nothing of them on the disk',
  async () => {
    const { facts } = await run(SHARED_MEMORY);
    expect(facts).toMatchObject({ text: 'open', filesOnDisk: [], isRemoved: true, isGone: true });
    expect(facts['places']).toEqual([
      expect.stringMatching(/^\/dev\/shm\/podkeep-[0-9a-f]{8}-memory-/),
      expect.stringMatching(/^\/dev\/shm\/podkeep-[0-9a-f]{8}-memory-/),
    ]);
    expect((facts['secretMode'] as number) & 0o007).toBe(0);
    expect(facts['events']).not.toContainEqual(expect.stringContaining('is on the disk'));
  },
);

test('without such memory Secrets are on the disk, closed to others, and an Event says so', async () => {
  const { root, facts } = await run();
  expect(facts).toMatchObject({ text: 'open', isGone: true });
  // Its group could not be changed to one that the user is not in; the rest works.
  expect((facts['secretMode'] as number) & 0o007).toBe(0);
  expect(facts['warnings']).toEqual(
    expect.arrayContaining([
      'Volumes that should be in memory are on disk: not permitted to mount tmpfs',
      'Failed to apply fsGroup to files of a volume',
    ]),
  );
  expect(facts['events']).toContainEqual(
    'Volume "s" is on the disk of this node, readable by one user only: there is no file system in memory ' +
      'that podkeep may write.',
  );
  // Any of the three may be the first to be refused.
  const refusal = `: mkdir ${root}/pods/uid-2/volumes: permission denied`;
  expect(facts['events']).toEqual(expect.arrayContaining([expect.stringContaining(refusal)]));
});

/**
 * Node itself, or a copy in `folder` if it is installed where other users have no access, such as in root's
 * home.
 */
function nodeForEveryone(folder: string): string {
  const user = { uid: NOBODY, gid: NOBODY, cwd: folder, env: {} };
  if (spawnSync(process.execPath, ['--version'], user).status === 0) return process.execPath;
  const copy = path.join(folder, 'node');
  copyFileSync(process.execPath, copy);
  chmodSync(copy, 0o755);
  return copy;
}

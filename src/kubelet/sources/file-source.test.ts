import { once } from 'node:events';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { silentLog } from '../../../test/support/silent-ports.ts';
import { makeTempFolder } from '../../../test/support/temp-folder.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import type { Pod } from '../../api/pod.ts';
import { FileSource, type FileSourceOptions } from './file-source.ts';

function manifest(name: string, image = 'i'): string {
  return `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}}\nspec: {containers: [{name: c, image: ${image}}]}\n`;
}

class TestHarness {
  readonly clock = new VirtualClock();
  readonly folder = makeTempFolder();
  readonly warnings: string[] = [];
  /** The reported pods, newest last. */
  readonly notified: (readonly Pod[])[] = [];
  /** Acts as a change event of the file system. */
  changed: () => void = () => {};
  ended: () => void = () => {};
  watches = 0;

  start(options: Partial<FileSourceOptions> = {}): FileSource {
    const source = new FileSource({
      path: this.folder,
      nodeName: 'n',
      clock: this.clock,
      log: {
        ...silentLog,
        warn: (_message, facts) => this.warnings.push(String(facts?.['problem'])),
      },
      prepare: (pod) => pod,
      set: (pods) => this.notified.push(pods),
      watch: (_path, changed, ended) => {
        this.watches += 1;
        [this.changed, this.ended] = [changed, ended];
        return () => (this.watches -= 1);
      },
      ...options,
    });
    onTestFinished(() => source.stop());
    source.start();
    return source;
  }

  write(name: string, text: string): void {
    writeFileSync(path.join(this.folder, name), text);
  }

  /** Scans read real files, so a test polls for their end. */
  async names(count: number): Promise<readonly string[]> {
    // oxlint-disable-next-line vitest/no-standalone-expect -- it waits, in every test
    await expect.poll(() => this.notified.length).toBe(count);
    await this.clock.pass(0);
    return (this.notified.at(-1) ?? []).map(({ metadata }) => metadata.name ?? '');
  }
}

describe('a folder of manifests', () => {
  test('is read at the start, in the order of its names, without dot files and folders', async () => {
    const harness = new TestHarness();
    harness.write('b.yaml', manifest('b'));
    harness.write(
      'a.json',
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'a' },
        spec: { containers: [] },
      }),
    );
    harness.write('.a.swp', 'nonsense');
    mkdirSync(path.join(harness.folder, 'old'));
    harness.start();
    expect(await harness.names(1)).toEqual(['a-n', 'b-n']);
    expect(harness.warnings).toEqual([expect.stringContaining('neither a file nor the folder')]);
  });

  test('is read again when something changes, and what did not change stays the same', async () => {
    const harness = new TestHarness();
    harness.write('a.yaml', manifest('a'));
    harness.start();
    await harness.names(1);
    harness.write('b.yaml', `${manifest('b')}---\n${manifest('c')}`);
    harness.changed();
    expect(await harness.names(2)).toEqual(['a-n', 'b-n', 'c-n']);
    expect(harness.notified[1]?.[0]).toBe(harness.notified[0]?.[0]);
    rmSync(path.join(harness.folder, 'b.yaml'));
    harness.changed();
    expect(await harness.names(3)).toEqual(['a-n']);
  });

  test('is read every twenty seconds, in case the file system reports no change', async () => {
    const harness = new TestHarness();
    harness.start();
    expect(await harness.names(1)).toEqual([]);
    harness.write('a.yaml', manifest('a'));
    await harness.clock.pass(19_999);
    expect(harness.clock.pending).toBe(1);
    await harness.clock.pass(1);
    expect(await harness.names(2)).toEqual(['a-n']);
  });

  test('is read once more for all changes during a scan', async () => {
    const harness = new TestHarness();
    harness.start();
    await harness.names(1);
    for (let change = 0; change < 5; change += 1) harness.changed();
    await harness.names(3);
    harness.changed();
    expect(await harness.names(4)).toEqual([]);
  });

  test('that changes gives its pod another UID', async () => {
    const harness = new TestHarness();
    harness.write('a.yaml', manifest('a'));
    harness.start();
    await harness.names(1);
    harness.write('a.yaml', manifest('a', 'newer'));
    harness.changed();
    await harness.names(2);
    const uids = harness.notified.map((pods) => pods[0]?.metadata.uid);
    expect(uids[0]).not.toBe(uids[1]);
  });

  test('that does not exist has no pods, and is checked again', async () => {
    const harness = new TestHarness();
    const missing = path.join(harness.folder, 'later');
    harness.start({ path: `${missing}/` });
    expect(await harness.names(1)).toEqual([]);
    expect(harness.warnings).toEqual(['path does not exist, ignoring']);
    mkdirSync(missing);
    writeFileSync(path.join(missing, 'a.yaml'), manifest('a'));
    await harness.clock.pass(1000);
    expect(await harness.names(2)).toEqual(['a-n']);
    rmSync(missing, { recursive: true });
    harness.changed();
    expect(await harness.names(3)).toEqual([]);
  });

  test('may be one file', async () => {
    const harness = new TestHarness();
    harness.write('only.yaml', manifest('only'));
    harness.write('other.yaml', manifest('other'));
    harness.start({ path: path.join(harness.folder, 'only.yaml') });
    expect(await harness.names(1)).toEqual(['only-n']);
  });
});

describe('a manifest that is only half written', () => {
  test('leaves its pods as they were, is logged once, and is tried again', async () => {
    const harness = new TestHarness();
    harness.write('a.yaml', manifest('a'));
    harness.start();
    await harness.names(1);
    harness.write('a.yaml', 'apiVersion: v1\nkind: Po');
    harness.changed();
    expect(await harness.names(2)).toEqual(['a-n']);
    await harness.clock.pass(1000);
    expect(await harness.names(3)).toEqual(['a-n']);
    await harness.clock.pass(1999);
    expect(harness.clock.pending).toBe(1); // it still waits
    await harness.clock.pass(1);
    expect(harness.clock.pending).toBe(0);
    await harness.names(4);
    expect(harness.warnings).toEqual([
      `the manifest ${harness.folder}/a.yaml cannot be used: it holds "v1" "Po", not a v1 Pod`,
    ]);
    harness.write('a.yaml', manifest('a', 'newer'));
    await harness.clock.pass(4000);
    expect(await harness.names(5)).toEqual(['a-n']);
    expect(harness.notified[4]?.[0]?.spec.containers[0]?.image).toBe('newer');
  });

  test('that was never valid has no pods, and does not stop the other manifests', async () => {
    const harness = new TestHarness();
    harness.write('a.yaml', '');
    harness.write('b.yaml', manifest('b'));
    harness.start();
    expect(await harness.names(1)).toEqual(['b-n']);
    expect(harness.warnings[0]).toContain('it is empty');
  });

  test('is logged again when it has another problem', async () => {
    const harness = new TestHarness();
    harness.write('a.yaml', '');
    harness.start();
    await harness.names(1);
    harness.write('a.yaml', 'kind: [');
    harness.changed();
    await harness.names(2);
    expect(harness.warnings).toHaveLength(2);
  });

  test('is handled like one that the API server would reject', async () => {
    const harness = new TestHarness();
    harness.write('a.yaml', manifest('a'));
    harness.start({
      prepare: () => {
        throw new Error('spec.x: Forbidden');
      },
    });
    expect(await harness.names(1)).toEqual([]);
    expect(harness.warnings[0]).toContain('invalid pod: spec.x: Forbidden');
  });
});

describe('other entries of the folder', () => {
  test('a socket is not read', async () => {
    const harness = new TestHarness();
    const server = createServer().listen(path.join(harness.folder, 'a.yaml'));
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    harness.write('b.yaml', manifest('b'));
    harness.start();
    expect(await harness.names(1)).toEqual(['b-n']);
  });

  test('a file of more than 10 MB is not read', async () => {
    const harness = new TestHarness();
    harness.write('a.yaml', ' '.repeat(10 * 2 ** 20 + 1));
    harness.start();
    expect(await harness.names(1)).toEqual([]);
    expect(harness.warnings[0]).toContain('larger than 10485760 bytes');
  });
});

describe('the watch', () => {
  test('that ends is opened again with the next scan', async () => {
    const harness = new TestHarness();
    harness.start();
    await harness.names(1);
    harness.ended();
    expect(harness.watches).toBe(0);
    await harness.clock.pass(20_000);
    await harness.names(2);
    expect(harness.watches).toBe(1);
  });

  test('is closed with the source, and no timer is left', async () => {
    const harness = new TestHarness();
    const source = harness.start();
    await harness.names(1);
    source.stop();
    expect([harness.watches, harness.clock.pending]).toEqual([0, 0]);
    harness.changed();
    await harness.clock.pass(60_000);
    expect(harness.notified).toHaveLength(1);
  });

  test.each(['the folder', 'the file'])(
    'of the file system reports changes of %s',
    async (what) => {
      const harness = new TestHarness();
      const file = path.join(harness.folder, 'a.yaml');
      writeFileSync(file, manifest('a'));
      const source = new FileSource({
        path: what === 'the file' ? file : harness.folder,
        nodeName: 'n',
        clock: harness.clock,
        log: silentLog,
        prepare: (pod) => pod,
        set: (pods) => harness.notified.push(pods),
      });
      onTestFinished(() => source.stop());
      source.start();
      await harness.names(1);
      // As editors do it: another file takes the name.
      const hidden = path.join(harness.folder, '.a.yaml.new');
      writeFileSync(hidden, manifest('a', 'newer'));
      renameSync(hidden, file);
      const image = (): string | undefined =>
        harness.notified.at(-1)?.[0]?.spec.containers[0]?.image;
      await expect.poll(image, { timeout: 5000 }).toBe('newer');
    },
  );
});

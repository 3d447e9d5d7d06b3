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

class Stage {
  readonly clock = new VirtualClock();
  readonly folder = makeTempFolder();
  readonly warnings: string[] = [];
  /** What was told, newest last. */
  readonly told: (readonly Pod[])[] = [];
  /** As the system would tell of a change. */
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
      set: (pods) => this.told.push(pods),
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

  /** Scans read real files, so they end when they end. */
  async names(count: number): Promise<readonly string[]> {
    // oxlint-disable-next-line vitest/no-standalone-expect -- it waits, in every test
    await expect.poll(() => this.told.length).toBe(count);
    await this.clock.pass(0);
    return (this.told.at(-1) ?? []).map(({ metadata }) => metadata.name ?? '');
  }
}

describe('a folder of manifests', () => {
  test('is read at once, in the order of its names, without notes and folders', async () => {
    const stage = new Stage();
    stage.write('b.yaml', manifest('b'));
    stage.write(
      'a.json',
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'a' },
        spec: { containers: [] },
      }),
    );
    stage.write('.a.swp', 'nonsense');
    mkdirSync(path.join(stage.folder, 'old'));
    stage.start();
    expect(await stage.names(1)).toEqual(['a-n', 'b-n']);
    expect(stage.warnings).toEqual([expect.stringContaining('neither a file nor the folder')]);
  });

  test('is read again when something changes, and what did not change stays the same', async () => {
    const stage = new Stage();
    stage.write('a.yaml', manifest('a'));
    stage.start();
    await stage.names(1);
    stage.write('b.yaml', `${manifest('b')}---\n${manifest('c')}`);
    stage.changed();
    expect(await stage.names(2)).toEqual(['a-n', 'b-n', 'c-n']);
    expect(stage.told[1]?.[0]).toBe(stage.told[0]?.[0]);
    rmSync(path.join(stage.folder, 'b.yaml'));
    stage.changed();
    expect(await stage.names(3)).toEqual(['a-n']);
  });

  test('is read every twenty seconds, in case nobody tells', async () => {
    const stage = new Stage();
    stage.start();
    expect(await stage.names(1)).toEqual([]);
    stage.write('a.yaml', manifest('a'));
    await stage.clock.pass(19_999);
    expect(stage.clock.pending).toBe(1);
    await stage.clock.pass(1);
    expect(await stage.names(2)).toEqual(['a-n']);
  });

  test('is read once more for all changes during a look', async () => {
    const stage = new Stage();
    stage.start();
    await stage.names(1);
    for (let change = 0; change < 5; change += 1) stage.changed();
    await stage.names(3);
    stage.changed();
    expect(await stage.names(4)).toEqual([]);
  });

  test('that changes gives its pod another UID', async () => {
    const stage = new Stage();
    stage.write('a.yaml', manifest('a'));
    stage.start();
    await stage.names(1);
    stage.write('a.yaml', manifest('a', 'newer'));
    stage.changed();
    await stage.names(2);
    const uids = stage.told.map((pods) => pods[0]?.metadata.uid);
    expect(uids[0]).not.toBe(uids[1]);
  });

  test('that is not there has no pods, and is looked for again', async () => {
    const stage = new Stage();
    const missing = path.join(stage.folder, 'later');
    stage.start({ path: `${missing}/` });
    expect(await stage.names(1)).toEqual([]);
    expect(stage.warnings).toEqual(['path does not exist, ignoring']);
    mkdirSync(missing);
    writeFileSync(path.join(missing, 'a.yaml'), manifest('a'));
    await stage.clock.pass(1000);
    expect(await stage.names(2)).toEqual(['a-n']);
    rmSync(missing, { recursive: true });
    stage.changed();
    expect(await stage.names(3)).toEqual([]);
  });

  test('may be one file', async () => {
    const stage = new Stage();
    stage.write('only.yaml', manifest('only'));
    stage.write('other.yaml', manifest('other'));
    stage.start({ path: path.join(stage.folder, 'only.yaml') });
    expect(await stage.names(1)).toEqual(['only-n']);
  });
});

describe('a manifest that is only half written', () => {
  test('leaves its pods as they were, is complained of once, and is tried again', async () => {
    const stage = new Stage();
    stage.write('a.yaml', manifest('a'));
    stage.start();
    await stage.names(1);
    stage.write('a.yaml', 'apiVersion: v1\nkind: Po');
    stage.changed();
    expect(await stage.names(2)).toEqual(['a-n']);
    await stage.clock.pass(1000);
    expect(await stage.names(3)).toEqual(['a-n']);
    await stage.clock.pass(1999);
    expect(stage.clock.pending).toBe(1); // it still waits
    await stage.clock.pass(1);
    expect(stage.clock.pending).toBe(0);
    await stage.names(4);
    expect(stage.warnings).toEqual([
      `the manifest ${stage.folder}/a.yaml cannot be used: it holds "v1" "Po", not a v1 Pod`,
    ]);
    stage.write('a.yaml', manifest('a', 'newer'));
    await stage.clock.pass(4000);
    expect(await stage.names(5)).toEqual(['a-n']);
    expect(stage.told[4]?.[0]?.spec.containers[0]?.image).toBe('newer');
  });

  test('that was never right has no pods, and keeps no other from running', async () => {
    const stage = new Stage();
    stage.write('a.yaml', '');
    stage.write('b.yaml', manifest('b'));
    stage.start();
    expect(await stage.names(1)).toEqual(['b-n']);
    expect(stage.warnings[0]).toContain('it is empty');
  });

  test('is complained of anew when it is wrong in another way', async () => {
    const stage = new Stage();
    stage.write('a.yaml', '');
    stage.start();
    await stage.names(1);
    stage.write('a.yaml', 'kind: [');
    stage.changed();
    await stage.names(2);
    expect(stage.warnings).toHaveLength(2);
  });

  test('is the same to us as one that the API would refuse', async () => {
    const stage = new Stage();
    stage.write('a.yaml', manifest('a'));
    stage.start({
      prepare: () => {
        throw new Error('spec.x: Forbidden');
      },
    });
    expect(await stage.names(1)).toEqual([]);
    expect(stage.warnings[0]).toContain('invalid pod: spec.x: Forbidden');
  });
});

describe('strange things in the folder', () => {
  test('a socket is not read', async () => {
    const stage = new Stage();
    const server = createServer().listen(path.join(stage.folder, 'a.yaml'));
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    stage.write('b.yaml', manifest('b'));
    stage.start();
    expect(await stage.names(1)).toEqual(['b-n']);
  });

  test('a file of more than 10 MB is not read', async () => {
    const stage = new Stage();
    stage.write('a.yaml', ' '.repeat(10 * 2 ** 20 + 1));
    stage.start();
    expect(await stage.names(1)).toEqual([]);
    expect(stage.warnings[0]).toContain('larger than 10485760 bytes');
  });
});

describe('the watch', () => {
  test('that ends is opened again with the next look', async () => {
    const stage = new Stage();
    stage.start();
    await stage.names(1);
    stage.ended();
    expect(stage.watches).toBe(0);
    await stage.clock.pass(20_000);
    await stage.names(2);
    expect(stage.watches).toBe(1);
  });

  test('is closed with the source, and no timer is left', async () => {
    const stage = new Stage();
    const source = stage.start();
    await stage.names(1);
    source.stop();
    expect([stage.watches, stage.clock.pending]).toEqual([0, 0]);
    stage.changed();
    await stage.clock.pass(60_000);
    expect(stage.told).toHaveLength(1);
  });

  test.each(['the folder', 'the file'])('of the system tells of %s', async (what) => {
    const stage = new Stage();
    const file = path.join(stage.folder, 'a.yaml');
    writeFileSync(file, manifest('a'));
    const source = new FileSource({
      path: what === 'the file' ? file : stage.folder,
      nodeName: 'n',
      clock: stage.clock,
      log: silentLog,
      prepare: (pod) => pod,
      set: (pods) => stage.told.push(pods),
    });
    onTestFinished(() => source.stop());
    source.start();
    await stage.names(1);
    // As editors do it: another file takes the name.
    const hidden = path.join(stage.folder, '.a.yaml.new');
    writeFileSync(hidden, manifest('a', 'newer'));
    renameSync(hidden, file);
    const image = (): string | undefined => stage.told.at(-1)?.[0]?.spec.containers[0]?.image;
    await expect.poll(image, { timeout: 5000 }).toBe('newer');
  });
});

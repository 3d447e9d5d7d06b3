import { readFileSync, statSync, symlinkSync, writeFileSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makeTempFolder } from '../../../../test/support/temp-folder.ts';
import { DiskPodFiles } from './disk-pod-files.ts';

const POD = { uid: 'uid-1', name: 'web', namespace: 'shop' };
const RUN = { pod: POD, container: 'main', attempt: 2 };
const TAIL = { linesMax: 80, bytesMax: 2048 };

function filesIn(folder: string): DiskPodFiles {
  return new DiskPodFiles({
    rootFolder: path.join(folder, 'root'),
    logFolder: path.join(folder, 'logs'),
  });
}

test('folders and logs have the paths of the kubelet', async () => {
  const folder = makeTempFolder();
  const files = filesIn(folder);
  await files.makePodFolders(POD);
  await files.makePodFolders(POD);
  for (const name of ['volumes', 'plugins', 'containers']) {
    expect(statSync(path.join(folder, 'root/pods/uid-1', name)).isDirectory()).toBe(true);
  }
  expect(files.logFolder(POD)).toBe(path.join(folder, 'logs/shop_web_uid-1'));
  expect(files.logPath(RUN)).toBe('main/2.log');
});

test('the last run is found in the logs, rotated ones included (KL-40)', async () => {
  const files = filesIn(makeTempFolder());
  expect(await files.lastRunLogged(POD, 'main')).toBeNull();
  await files.makeLogFolder(POD, 'main');
  const folder = path.join(files.logFolder(POD), 'main');
  for (const name of ['0.log', '9.log', '10.log.20260102-030405.gz', 'notes.txt']) {
    writeFileSync(path.join(folder, name), '');
  }
  expect(await files.lastRunLogged(POD, 'main')).toBe(10);
});

test('termination messages are read from their end, whole characters only', async () => {
  const files = filesIn(makeTempFolder());
  const file = await files.makeTerminationFile(RUN);
  expect(statSync(file).mode & 0o777).toBe(0o666);
  expect(await files.readTerminationFile(RUN, 4096)).toBe('');
  writeFileSync(file, `${'x'.repeat(10)}äöü`);
  expect(await files.readTerminationFile(RUN, 5)).toBe('öü');
  expect(await files.readTerminationFile({ ...RUN, attempt: 7 }, 5)).toBeNull();
});

test('a run that is made again starts with an empty file', async () => {
  const files = filesIn(makeTempFolder());
  writeFileSync(await files.makeTerminationFile(RUN), 'old words');
  expect(readFileSync(await files.makeTerminationFile(RUN), 'utf8')).toBe('');
});

test('a link in the place of a termination message is not followed', async () => {
  const folder = makeTempFolder();
  const files = filesIn(folder);
  const file = await files.makeTerminationFile(RUN);
  const secret = path.join(folder, 'secret');
  writeFileSync(secret, 'not for everybody');
  rmSync(file);
  symlinkSync(secret, file);
  expect(await files.readTerminationFile(RUN, 4096)).toBeNull();
  rmSync(file);
  mkdirSync(file);
  expect(await files.readTerminationFile(RUN, 4096)).toBeNull();
});

test('the end of a log is read without its timestamps', async () => {
  const files = filesIn(makeTempFolder());
  await files.makeLogFolder(POD, 'main');
  expect(await files.readLogTail(RUN, TAIL)).toBe('');
  const line = (text: string): string => `2026-01-02T03:04:05.000000001Z stdout F ${text}\n`;
  const lines = Array.from({ length: 5000 }, (_, index) => line(`line ${index}`));
  writeFileSync(path.join(files.logFolder(POD), 'main/2.log'), lines.join(''));
  const tail = (await files.readLogTail(RUN, TAIL)).trimEnd().split('\n');
  expect(tail).toHaveLength(80);
  expect(tail.at(-1)).toBe('line 4999');
});

test('logs of pods are listed and removed, and others are left alone', async () => {
  const folder = makeTempFolder();
  const files = filesIn(folder);
  expect(await files.podsWithLogs()).toEqual([]);
  await files.makeLogFolder(POD, 'main');
  mkdirSync(path.join(folder, 'logs', 'not-a-pod'));
  expect(await files.podsWithLogs()).toEqual([POD]);
  await files.removePodLogs(POD);
  await files.removePodLogs(POD);
  expect(await files.podsWithLogs()).toEqual([]);
  expect(statSync(path.join(folder, 'logs', 'not-a-pod')).isDirectory()).toBe(true);
});

test('a removed run loses its log, the rotated logs, and its termination message', async () => {
  const files = filesIn(makeTempFolder());
  await files.makeLogFolder(POD, 'main');
  await files.makeTerminationFile(RUN);
  const folder = path.join(files.logFolder(POD), 'main');
  for (const name of ['2.log', '2.log.20260102-030405.gz', '20.log']) {
    writeFileSync(path.join(folder, name), '');
  }
  await files.removeLog(RUN);
  expect(await files.lastRunLogged(POD, 'main')).toBe(20);
  expect(await files.readTerminationFile(RUN, 10)).toBeNull();
});

test.each(['..', '.', '', 'a/b', 'a\0b'])('the name %j cannot leave its folder', async (name) => {
  const files = filesIn(makeTempFolder());
  const refusal = { code: 'FOLDER_NAME_INVALID' };
  await expect(files.makePodFolders({ ...POD, uid: name })).rejects.toMatchObject(refusal);
  await expect(files.makeLogFolder(POD, name)).rejects.toMatchObject(refusal);
  expect(() => files.logFolder({ ...POD, namespace: name })).toThrow('cannot be the name');
});

/**
 * Values of Secrets reach containers as variables and arguments. None of them may be on the disk of a
 * node.
 */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { environmentOfProcess } from '../../src/runtimes/process/record-file.ts';
import type { ProcessRuntimeOptions } from '../../src/runtimes/process/options.ts';
import { TestHarness } from '../suites/pod-runtime/runtime-harness.ts';
import { openForTest, type OpenProcessRuntime } from './process-runtime.ts';

const VALUE = 'value-of-a-secret-9f2c71';
const hasMemory = existsSync('/dev/shm');
const ENV = [
  { name: 'DATABASE_PASSWORD', value: VALUE },
  { name: 'MULTILINE', value: 'one\ntwo=2' },
];

interface Harness extends OpenProcessRuntime {
  readonly harness: TestHarness;
}

async function openHarness(options: Partial<ProcessRuntimeOptions> = {}): Promise<Harness> {
  const open = await openForTest({ network: 'host', ...options });
  onTestFinished(() => open.close());
  return { ...open, harness: new TestHarness(open) };
}

async function startWithSecret(harness: TestHarness, sleepSeconds = 60): Promise<string> {
  const sandbox = await harness.runSandbox();
  const config = harness.containerConfig({
    command: ['/bin/sh', '-c', `sleep ${sleepSeconds}; :`, VALUE],
    args: [VALUE],
    env: ENV,
  });
  const id = await harness.runtime.createContainer(sandbox, config, new AbortController().signal);
  await harness.runtime.startContainer(id);
  return id;
}

/** Every file below the folder that holds the value, as it is or in base64. */
function filesWithValue(folder: string): readonly string[] {
  const encoded = Buffer.from(VALUE).toString('base64').replace(/=+$/, '');
  return filesBelow(folder).filter((file) => {
    const text = readFileSync(file, 'latin1');
    return text.includes(VALUE) || text.includes(encoded);
  });
}

/** Links are not followed, as some versions of Node do in a recursive listing: one leads to the machine's /run. */
function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return filesBelow(file);
    return entry.isFile() ? [file] : [];
  });
}

async function variableInside(harness: TestHarness, id: string): Promise<string> {
  const request = { command: ['/bin/sh', '-c', 'echo "$DATABASE_PASSWORD"'], timeoutSeconds: 30 };
  const { stdout } = await harness.runtime.execSync(id, request, new AbortController().signal);
  return Buffer.from(stdout).toString().trim();
}

const memoryOf = (open: OpenProcessRuntime): string =>
  readFileSync(path.join(open.runtimeFolder, 'memory'), 'utf8').trim();

test.skipIf(!hasMemory)(
  'no file of a runtime holds the environment or the arguments of a container',
  async () => {
    const open = await openHarness();
    const id = await startWithSecret(open.harness);
    expect(filesWithValue(open.folder)).toEqual([]);
    await open.harness.reopen();
    expect(filesWithValue(open.folder)).toEqual([]);
    expect(await variableInside(open.harness, id)).toBe(VALUE);
  },
);

test.skipIf(!hasMemory)('the same holds for containers that a shell starts', async () => {
  const open = await openHarness({ helper: 'none', isolation: 'none' });
  const id = await startWithSecret(open.harness);
  expect(filesWithValue(open.folder)).toEqual([]);
  await open.harness.reopen();
  expect(await variableInside(open.harness, id)).toBe(VALUE);
});

test.skipIf(!hasMemory)('the memory of a container is free when it has ended', async () => {
  const open = await openHarness();
  const id = await startWithSecret(open.harness);
  const memory = memoryOf(open);
  expect(readdirSync(memory)).not.toEqual([]);
  await open.harness.runtime.stopContainer(id, 0, new AbortController().signal);
  expect(readdirSync(memory)).toEqual([]);
});

test.skipIf(!hasMemory)(
  'commands in an adopted container have its environment when the memory is gone',
  async () => {
    const open = await openHarness();
    const id = await startWithSecret(open.harness);
    const memory = memoryOf(open);
    rmSync(memory, { recursive: true });
    await open.harness.reopen();
    expect(await variableInside(open.harness, id)).toBe(VALUE);
  },
);

test.skipIf(!existsSync('/proc/self/environ'))(
  'the kernel shows the environment of a process',
  () => {
    const env = new Map(environmentOfProcess(process.pid));
    expect(env.get('PATH')).toBe(process.env['PATH']);
    expect(environmentOfProcess(0)).toEqual([]);
  },
);

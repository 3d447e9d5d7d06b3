/** A client that guesses the id of a sandbox or a container could address it: ids are not predictable. */
import { expect, onTestFinished, test } from 'vitest';
import { systemRandom } from '../../src/platform/system-random.ts';
import { TestHarness } from '../suites/pod-runtime/runtime-harness.ts';
import { openForTest } from './process-runtime.ts';

test('ids of sandboxes and containers are bytes of the source for keys, and nothing else', async () => {
  const drawn: string[] = [];
  const random = {
    next: () => systemRandom.next(),
    bytes: (length: number) => {
      const bytes = systemRandom.bytes(length);
      drawn.push(Buffer.from(bytes).toString('hex'));
      return bytes;
    },
  };
  const open = await openForTest({ network: 'host', random });
  onTestFinished(() => open.close());
  const harness = new TestHarness(open);
  const sandbox = await harness.runSandbox();
  const config = harness.containerConfig({ command: ['/bin/sh', '-c', 'exit 0'] });
  const signal = new AbortController().signal;
  const container = await harness.runtime.createContainer(sandbox, config, signal);
  const digits = [sandbox, container].map((id) => id.replace(/^.*:\/\//, ''));
  expect(digits).toEqual(digits.filter((id) => drawn.includes(id)));
  expect(digits.every((id) => id.length >= 32)).toBe(true);
});

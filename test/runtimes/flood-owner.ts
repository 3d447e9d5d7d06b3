/**
 * A podkeep to be killed: over a new folder it starts a container that writes numbered lines as fast as
 * it can, over a known one it adopts what runs there. It prints `ready` and waits.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { shellCommands } from '../suites/pod-runtime/shell-commands.ts';
import { TestHarness } from '../suites/pod-runtime/runtime-harness.ts';
import { openAt } from './process-runtime.ts';

const [folder = '', maxBytes, maxFiles, script = ''] = process.argv.slice(2);
const place = path.join(folder, 'runtime');
const isNew = !existsSync(place);
const logs = { maxBytes: Number(maxBytes), maxFiles: Number(maxFiles) };
const runtime = await openAt(place, { network: 'host', logs });
if (isNew) {
  const harness = new TestHarness({
    runtime,
    folder,
    image: 'example.com/anything:1',
    commands: shellCommands,
    reopen: () => Promise.resolve(runtime),
    close: () => Promise.resolve(),
  });
  const mount = { isReadOnly: false, isRecursiveReadOnly: false, propagation: 'None' } as const;
  const shared = { ...mount, hostPath: path.join(folder, 'shared'), containerPath: '/shared' };
  await harness.start({ command: ['perl', '-e', script], mounts: [shared] });
}
console.log('ready');
await new Promise(() => {
  setInterval(() => undefined, 1000);
});

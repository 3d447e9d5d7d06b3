/** Opens a process runtime, starts three containers, prints that, and waits to be killed. */
import path from 'node:path';
import { systemClock } from '../../src/platform/system-clock.ts';
import { systemRandom } from '../../src/platform/system-random.ts';
import { openProcessRuntime } from '../../src/runtimes/process/process-runtime.ts';
import { shellCommands } from '../suites/pod-runtime/shell-commands.ts';
import { TestHarness } from '../suites/pod-runtime/runtime-harness.ts';
import { silentLog } from '../support/silent-ports.ts';
import { PATH } from './process-runtime.ts';

const [folder = '', isolation] = process.argv.slice(2);
const runtime = await openProcessRuntime({
  folder: path.join(folder, 'runtime'),
  clock: systemClock,
  random: systemRandom,
  log: silentLog,
  events: { record: () => undefined },
  path: PATH,
  isolation: isolation === 'none' ? 'none' : 'auto',
});
const harness = new TestHarness({
  runtime,
  folder,
  image: 'example.com/anything:1',
  commands: shellCommands,
  reopen: () => Promise.resolve(runtime),
  close: () => Promise.resolve(),
});
const sandbox = await harness.runSandbox();
await harness.start({ name: 'forever', attempt: 4 }, sandbox);
await harness.start({ name: 'counter', command: shellCommands.countSlowly(20) }, sandbox);
const short = ['sh', '-c', 'until [ -e /go/now ]; do sleep 0.02; done; echo late; exit 5'];
const mount = { isReadOnly: true, isRecursiveReadOnly: false, propagation: 'None' } as const;
const go = { ...mount, hostPath: path.join(folder, 'go'), containerPath: '/go' };
const waiting =
  isolation === 'none'
    ? ['sh', '-c', `until [ -e ${folder}/go/now ]; do sleep 0.02; done; echo late; exit 5`]
    : short;
await harness.start({ name: 'short', command: waiting, mounts: [go] }, sandbox);
await harness.create(sandbox, { name: 'created', command: shellCommands.exit(2) });
await harness.logged('line 2', 'counter');
console.log('ready');
await new Promise(() => {
  setInterval(() => undefined, 1000);
});

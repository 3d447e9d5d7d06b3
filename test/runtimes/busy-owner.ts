/**
 * Creates, starts, stops and removes containers as fast as it can, and prints what was done, until
 * killed.
 */
import path from 'node:path';
import { shellCommands } from '../suites/pod-runtime/shell-commands.ts';
import { TestHarness } from '../suites/pod-runtime/runtime-harness.ts';
import { openAt } from './process-runtime.ts';

const [folder = '', isolation, round = '0'] = process.argv.slice(2);
const runtime = await openAt(path.join(folder, 'runtime'), {
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
const count = path.join(folder, 'count');
const target = isolation === 'none' ? count : '/count';
const mount = { isReadOnly: false, isRecursiveReadOnly: false, propagation: 'None' } as const;
const mounts = [{ ...mount, hostPath: count, containerPath: '/count' }];

async function live(worker: number): Promise<void> {
  const sandbox = await harness.runSandbox({ podUid: `pod-${round}-${worker}` });
  for (let n = 0; ; n++) {
    const name = `c-${round}-${worker}-${n}`;
    const command = ['sh', '-c', `echo x >>${target}/${name}; exec sleep 1000`];
    const id = await harness.create(sandbox, { name, command, mounts });
    console.log(`created ${name}`);
    await runtime.startContainer(id);
    console.log(`started ${name}`);
    if (n % 3 === 1) {
      await harness.stop(id, 0);
      console.log(`stopped ${name}`);
    }
    if (n % 6 === 1) {
      console.log(`removing ${name}`);
      await runtime.removeContainer(id);
    }
  }
}

console.log('open');
await Promise.all([live(0), live(1)]);

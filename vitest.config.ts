import { defineConfig } from 'vitest/config';
import { RETRY, SecondTriesReporter } from './scripts/second-tries.ts';

/** Tests that take minutes are run by themselves: `npm run test:slow`. */
const isSlow = process.env['SLOW'] === '1';

export default defineConfig({
  test: {
    retry: RETRY,
    reporters: ['default', new SecondTriesReporter()],
    include: [isSlow ? 'test/**/*.slow.test.ts' : '{src,test,scripts}/**/*.test.ts'],
    exclude: isSlow ? [] : ['**/*.slow.test.ts'],
    // Tests keep no state in modules, so files may share a process: loading is most of the time.
    isolate: false,
    // Many tests wait for processes and disks, so both cores of a small machine are worth using.
    maxWorkers: isSlow ? 1 : 2,
    // For what hangs. The longest test takes a few seconds of a core, and a machine that others use too
    // may need ten times as long for it: that is no mistake of the code.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // What is looked at again and again may come late on a busy machine; one second is not late.
    expect: { poll: { timeout: 60_000 } },
  },
});

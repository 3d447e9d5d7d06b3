import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{src,test,scripts}/**/*.test.ts'],
    // Tests keep no state in modules, so files may share a process: loading is most of the time.
    isolate: false,
    // Many tests wait for processes and disks, so both cores of a small machine are worth using.
    maxWorkers: 2,
    // A test that needs more than this is hiding a wait.
    testTimeout: 30_000,
    // What is looked at again and again may come late on a busy machine; one second is not late.
    expect: { poll: { timeout: 20_000 } },
  },
});

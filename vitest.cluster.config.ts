import { defineConfig } from 'vitest/config';
import { RETRY, SecondTriesReporter } from './scripts/second-tries.ts';

export default defineConfig({
  test: {
    retry: RETRY,
    reporters: ['default', new SecondTriesReporter()],
    include: ['test/cluster/**/*.cluster.ts'],
    // Real containers on a machine that others use too; what takes longer than this hangs.
    testTimeout: 120_000,
    hookTimeout: 240_000,
    // Each file starts a cluster of its own, and two cores carry one.
    fileParallelism: false,
    // The programs that a test started die with the thread that started them: give it a process.
    pool: 'forks',
  },
});

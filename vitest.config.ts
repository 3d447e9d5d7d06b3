import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{src,test,scripts}/**/*.test.ts'],
    // A test that needs more than this is hiding a wait.
    testTimeout: 30_000,
  },
});

import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'web/src/**/*.test.ts'],
    exclude: [
      // It needs a browser: `npm run test:web`.
      'test/web/**',
      // It builds anew, which other tests must not see.
      ...(process.env.npm_lifecycle_event === 'package-test' ? [] : ['test/package.test.ts']),
    ],
    testTimeout: 60_000,
    pool: 'forks',
    // All cores: vitest leaves one free, which on two cores means one file after another.
    maxWorkers: '100%',
    // Files of one worker share its modules: importing them anew for each took a third of the time.
    isolate: false,
  },
});

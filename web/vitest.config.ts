// Tests in a real browser, apart from `npm test`: they need Chromium and take a minute. `npm run test:web`.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/web/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'forks',
    maxWorkers: 1,
    isolate: false,
  },
});

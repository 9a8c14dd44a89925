// Builds the page into dist/page: static files that work from any folder of any host.
import { createReadStream, existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

const ROOT = resolve(import.meta.dirname, '..');

/** A slow build on a busy machine is no reason to fail. */
const NO_TIMINGS = { bundlerTimings: false };

export default defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [
    svelte({ configFile: false }),
    {
      // While developing: predictors and the runtime from where they are.
      name: 'auspex-files',
      configureServer(server) {
        server.middlewares.use((request, response, next) => {
          const [, folder, name] = /^\/(bundled|runtime)\/([\w.-]+)$/.exec(request.url ?? '') ?? [];
          const path = resolve(
            ROOT,
            folder === 'bundled' ? 'bundled' : 'node_modules/onnxruntime-web/dist',
            name ?? '',
          );
          if (folder === undefined || !existsSync(path)) return next();
          response.setHeader('content-type', path.endsWith('.wasm') ? 'application/wasm' : 'text/javascript');
          createReadStream(path).pipe(response);
        });
      },
    },
  ],
  worker: { format: 'es', rolldownOptions: { checks: NO_TIMINGS } },
  build: {
    rolldownOptions: { checks: NO_TIMINGS },
    outDir: resolve(ROOT, 'dist/page'),
    emptyOutDir: true,
    target: 'es2023',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1500,
  },
});

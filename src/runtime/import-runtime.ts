// Imports ONNX Runtime under Node, and in pages that are served as they are, with an import map. What bundles pages
// takes import-runtime.browser.ts instead (`browser` in package.json).

/** A name that is computed: onnxruntime-node cannot be bundled, and onnxruntime-web need not be installed. */
export function importRuntime(name: 'node' | 'web'): Promise<unknown> {
  const specifier = `onnxruntime-${name}`;
  return import(/* webpackIgnore: true */ /* @vite-ignore */ specifier);
}

// Imports ONNX Runtime in a bundled page, by a name that bundlers see; without WebGPU, which an application can bring with
// `useRuntime`. Takes the place of import-runtime.ts there
// (`browser` in package.json).

export function importRuntime(name: 'node' | 'web'): Promise<unknown> {
  if (name === 'node') return Promise.reject(new Error('a page has no onnxruntime-node'));
  return import('onnxruntime-web/wasm');
}

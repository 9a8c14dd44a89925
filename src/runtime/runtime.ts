// Which ONNX Runtime sessions run on: onnxruntime-node under Node, onnxruntime-web in a page, or the application's own.
// It is loaded when the first session is made.
import type { InferenceSession, Tensor } from 'onnxruntime-common';
import { AuspexError } from '../util/errors.js';
import { folderUrl } from '../util/page-url.js';
import { importRuntime } from './import-runtime.js';

/** The module of an ONNX Runtime, such as `onnxruntime-node` or `onnxruntime-web/wasm`. */
export interface RuntimeModule {
  readonly InferenceSession: Pick<typeof InferenceSession, 'create'>;
  readonly Tensor: typeof Tensor;
}

export interface RuntimeOptions {
  /** Of onnxruntime-web: the URL of the folder with its WebAssembly files, where the bundler did not put them. */
  readonly files?: string | URL;
}

interface LoadedRuntime {
  readonly module: RuntimeModule;
  /** Whether it is the onnxruntime-node that auspex found itself, which threads can load, too. */
  readonly isNative: boolean;
}

let chosen: 'node' | 'web' | RuntimeModule | undefined;
let files: string | undefined;
let loading: Promise<LoadedRuntime> | undefined;

/**
 * Chooses the runtime of sessions made from now on: one of the two by name, or a module of the application's own.
 * By default onnxruntime-node under Node and onnxruntime-web in a page.
 *
 * @example
 * useRuntime('node'); // or a module: import * as ort from 'onnxruntime-web/wasm'; useRuntime(ort)
 * const session = await Session.create(readModel('resnet8.onnx'));
 * session.inputs; // ['image']
 * await session.dispose();
 */
export function useRuntime(
  runtime: 'node' | 'web' | RuntimeModule | undefined,
  options: RuntimeOptions = {},
): void {
  chosen = runtime;
  files = options.files && folderUrl(options.files).href;
  loading = undefined;
}

/** The runtime of sessions made now. */
export function loadRuntime(): Promise<LoadedRuntime> {
  if (loading === undefined) {
    loading = typeof chosen === 'object' ? Promise.resolve(own(chosen)) : named(chosen);
    // One that is installed later is found later.
    loading.catch(() => {
      loading = undefined;
    });
  }
  return loading;
}

function own(module: object): LoadedRuntime {
  const runtime = unwrapped(module);
  const { env } = runtime as { env?: { wasm?: { wasmPaths?: unknown } } };
  if (files !== undefined && env?.wasm) env.wasm.wasmPaths = files;
  return { module: runtime, isNative: false };
}

async function named(name: 'node' | 'web' | undefined): Promise<LoadedRuntime> {
  const isNode = typeof process !== 'undefined' && process.versions?.node !== undefined;
  if (name === 'web' || (name === undefined && !isNode)) return own(await imported('web'));
  try {
    return { module: await imported('node'), isNative: true };
  } catch (error) {
    if (name === 'node') throw error;
    return instead(error);
  }
}

/** onnxruntime-web where there is no onnxruntime-node, such as on musl or an Intel Mac. */
async function instead(error: unknown): Promise<LoadedRuntime> {
  const web = await imported('web').catch(() => {
    throw error;
  });
  process.emitWarning(`${(error as Error).message}; using onnxruntime-web instead, which is slower`, {
    code: 'AUSPEX_SLOW_RUNTIME',
  });
  return own(web);
}

async function imported(name: 'node' | 'web'): Promise<RuntimeModule> {
  try {
    return unwrapped((await importRuntime(name)) as object);
  } catch (cause) {
    const where = name === 'node' ? ` on ${process.platform} ${process.arch}` : '';
    throw new AuspexError('RUNTIME_MISSING', `onnxruntime-${name} cannot be loaded${where}`, {
      kind: 'failure',
      hint: 'install the portable runtime: npm install onnxruntime-web',
      cause,
    });
  }
}

/** CommonJS modules are imported as the default export of a module. */
function unwrapped(module: object): RuntimeModule {
  const { default: inner } = module as { default?: RuntimeModule };
  return inner?.InferenceSession ? inner : (module as RuntimeModule);
}

// Which runtime measures in the page: wasm on the processor, or WebGPU where the browser has it.
import type { Provider } from '../engine/protocol.js';

/** Parts of WebGPU that are looked at. */
interface Gpu {
  requestAdapter(): Promise<object | null>;
}

class MeasuringRuntime {
  provider = $state<Provider>('wasm');
  /** Why there is no WebGPU; empty as long as that is not known. */
  missing = $state(whyNever());

  /** Takes WebGPU only if there is an adapter. Browsers complain where there is none, so nobody asks before it is wanted. */
  async choose(provider: Provider): Promise<void> {
    this.provider = provider;
    if (provider === 'wasm') return;
    const { gpu } = navigator as { gpu?: Gpu };
    const adapter = await gpu?.requestAdapter().catch(() => null);
    if (adapter) return;
    this.missing = 'this browser has no adapter for it';
    this.provider = 'wasm';
  }
}

function whyNever(): string {
  if (!('gpu' in navigator)) return 'this browser does not have it';
  // The runtime's WebAssembly waits for the GPU with it.
  return 'Suspending' in WebAssembly ? '' : 'this browser lacks JSPI, which the runtime needs';
}

export const gpu = new MeasuringRuntime();

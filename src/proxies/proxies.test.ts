import { describeProxy } from './conformance.testing.js';
import { GRADIENT_PROXIES } from './scores/gradient-proxies.js';

for (const proxy of GRADIENT_PROXIES) describeProxy(proxy);

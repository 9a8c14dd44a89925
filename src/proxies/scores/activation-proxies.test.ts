import { describeProxy } from '../conformance.testing.js';
import { ACTIVATION_PROXIES, TRANSFORMER_PROXIES } from './activation-proxies.js';

/** Proxies that draw their own weights, so that those of a file may be anything. */
const REDRAWS = new Set(['naswot', 'zen', 'ld']);

for (const proxy of ACTIVATION_PROXIES) describeProxy(proxy, { refusesNaN: !REDRAWS.has(proxy.name) });
for (const proxy of TRANSFORMER_PROXIES) {
  describeProxy(
    proxy,
    proxy.name === 'sept' ? { network: 'transformer', notFor: ['nasbench201', 'fbnet'] } : {},
  );
}

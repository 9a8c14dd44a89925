// Measures how much memory networks take, and writes it beside what the prediction is made of: a line of JSON for each. A second run
// continues the first.
//
//   node build/verify/memory/collect.js FAMILY NETWORK... >> networks.jsonl
import '../../src/ops/index.js';
import { openReferences } from '../../src/app/resolve.js';
import { measureMemory } from '../../src/measure/measure.js';
import { memoryTerms } from '../../src/measure/predicted-memory.js';
import { prepareNetwork } from '../../src/measure/prepare.js';
import { STOPPING } from '../../src/measure/stopping.js';

const SETTINGS = { threads: 1, provider: 'cpu', optimization: 'all' } as const;

const [family, ...refs] = process.argv.slice(2);
for (const ref of refs) {
  const given = (await openReferences([ref], {})).at(0);
  const prepared = prepareNetwork(given, { sizes: {}, seed: 0 });
  try {
    const limits = { seconds: 300 };
    const measured = await measureMemory({ prepared, settings: SETTINGS, rule: STOPPING, limits });
    const terms = memoryTerms(prepared.network, prepared.given)?.terms;
    if (measured === undefined || terms === undefined) continue;
    const { loadingBytes, sessionBytes, runBytes } = measured;
    process.stdout.write(
      `${JSON.stringify({ network: ref, family, loadingBytes, sessionBytes, runBytes, terms })}\n`,
    );
  } finally {
    prepared.dispose();
  }
}

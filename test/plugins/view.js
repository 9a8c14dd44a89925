// A view from outside the package, and a kind of predictor that sees networks through it: the logarithm of a network's
// parameters, (batch, 1).
import { z } from 'zod';

export default ({ registerView, graphKind, symbol, linear, AuspexError }) => {
  registerView({
    name: 'log-parameters',
    state: z.object({ centre: z.number() }),
    prepare: async (networks, _, prior) => prior ?? { centre: Math.log(networks.at(0).counts().parameters) },
    covers: (network) =>
      network.counts().parameters > 0
        ? undefined
        : new AuspexError('NO_PARAMETERS', 'predicts from parameters; the network has none'),
    inputs: () => ({ parameters: { type: 'float32', dims: [symbol('batch'), 1] } }),
    encode: async (networks, { centre }) => {
      const rows = Array.from(networks, (network) => Math.log(network.counts().parameters) - centre);
      return {
        count: rows.length,
        batch: (chosen) => ({
          parameters: {
            type: 'float32',
            dims: [chosen.length, 1],
            data: Float32Array.from(chosen, (row) => rows[row]),
          },
        }),
      };
    },
  });
  const options = z.strictObject({});
  graphKind({
    name: 'log-parameters-line',
    title: 'A line through logarithms of parameters',
    paper: 'none',
    summary: 'a line, trained in steps',
    view: 'log-parameters',
    viewOptions: () => ({}),
    standard: { kind: 'standard', centre: 0 },
    options,
    recipe: () => ({
      model: {},
      steps: 300,
      batch: 8,
      rate: 0.05,
      members: 1,
      weightDecay: 0,
      emaDecay: 0.9,
      loss: { error: 'squared', rank: 0, consistency: 0 },
    }),
    build: (s, { parameters }, _, outputs) => linear(s.at('head'), parameters, outputs),
  });
};

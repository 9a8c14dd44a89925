// An operator from outside the package: it doubles what it is given.
export default ({ registerOperators }) => {
  registerOperators({
    'test.plugins.Double': {
      infer: (call) => [call.tensor(0)],
      cost: {
        describe: '1 per element',
        of: (call) => ({ otherFlops: call.outputs[0].shape.reduce((n, size) => n * size, 1) }),
      },
      inputs: ['X'],
    },
  });
};

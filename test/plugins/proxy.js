// A zero-cost proxy from outside the package: the number of nodes.
export default ({ registerProxy, defineProxy }) => {
  registerProxy(
    defineProxy({
      name: 'nodes',
      title: 'Nodes',
      paper: 'none',
      formula: 'the number of nodes',
      better: 'higher',
      scale: 'raw',
      needs: { weights: false, samples: 0, batches: 0, labels: false, gradients: false },
      variants: {},
      elsewhere: '',
      score: async ({ model }) => ({ value: model.graph.nodes.length }),
    }),
  );
};

// A zero-cost proxy from outside the package whose process is killed while it scores, as by a machine without memory.
export default ({ registerProxy, defineProxy }) => {
  registerProxy(
    defineProxy({
      name: 'killed',
      title: 'Killed',
      paper: 'none',
      formula: 'none',
      better: 'higher',
      scale: 'raw',
      needs: { weights: false, samples: 0, batches: 0, labels: false, gradients: false },
      variants: {},
      elsewhere: '',
      score: async () => {
        process.kill(process.pid, 'SIGKILL');
        return new Promise(() => {});
      },
    }),
  );
};

// Benchmarks, each beside its peer in one run:
//
//   npm run bench -- inspect model.onnx …   reading and counting, against Python's onnx
//   npm run bench -- engine                 training and inference, against PyTorch
//   npm run bench -- measure [net.onnx …]    auspex measure, against a loop written by hand
//   npm run bench -- metrics                rank correlations, against SciPy
//   npm run bench -- tables [table.csv.gz]  opening tables, against Python's csv
//   npm run bench -- forest                 random forests, against scikit-learn
//   npm run bench -- predictors p.onnx      a predictor's speed, against PyTorch
//   npm run bench -- spaces                 architectures to networks and numbers
//   npm run bench -- proxies                zero-cost proxies, against PyTorch
//   npm run bench -- simplify a.onnx …     simplifying and other opsets, against ONNX Runtime and onnx
//   npm run bench -- gennape                GENNAPE's encoder, against PyTorch Geometric
//
// PYTHON names a Python that has the peer's packages.
const BENCHMARKS: Readonly<Record<string, () => Promise<unknown>>> = {
  inspect: () => import('./inspect.js'),
  engine: () => import('./engine.js'),
  memory: () => import('./memory.js'),
  measure: () => import('./measure.js'),
  metrics: () => import('./metrics.js'),
  tables: () => import('./tables.js'),
  forest: () => import('./forest.js'),
  predictors: () => import('./predictors.js'),
  spaces: () => import('./spaces.js'),
  proxies: () => import('./proxies.js'),
  simplify: () => import('./simplify.js'),
  gennape: () => import('./gennape.js'),
};

const benchmark = BENCHMARKS[process.argv[2] ?? ''];
if (benchmark === undefined) {
  console.error(`usage: npm run bench -- ${Object.keys(BENCHMARKS).join(' | ')} …`);
  process.exit(2);
}
await benchmark();

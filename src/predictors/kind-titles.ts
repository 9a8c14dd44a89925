// What kinds are called in sentences. In a file of its own, as a predictor that is only asked does not load what trains it.

export const KIND_TITLES = {
  'nn-former': 'NN-Former',
  'nar-former-v2': 'NAR-Former V2',
  gcn: 'GCN (BRP-NAS)',
  sage: 'GraphSAGE (NNLP)',
  'nn-former-network': 'NN-Former of networks',
  'nar-former-v2-network': 'NAR-Former V2 of networks',
  'nnlp-network': 'NNLP (GraphSAGE) of networks',
  'k-gnn': 'k-GNN of computation graphs (GENNAPE)',
  'gcn-graph': 'GCN of computation graphs',
  'gin-graph': 'GIN of computation graphs',
  contrastive: 'Contrastive encoder (GENNAPE)',
  cl: 'CL (GENNAPE)',
  'cl-t': 'CL+T (GENNAPE)',
  'cl-fcm': 'CL+FCM (GENNAPE)',
  'cl-fcm-t': 'CL+FCM+T (GENNAPE)',
  'cl-pairwise': 'CL+Pairwise (GENNAPE)',
  'cl-fcm-pairwise': 'CL+FCM+Pairwise (GENNAPE)',
  gennape: 'GENNAPE',
  forest: 'Random forest',
  'few-shot': 'Few labels',
  'family-ranking': 'Ranking across families',
  linear: 'Linear regression',
  'flops-memory': 'FLOPs and memory access',
  params: 'Parameters alone',
  flops: 'FLOPs alone',
  'gaussian-process': 'Gaussian process',
  arch2vec: 'arch2vec',
  'accuracy-model': 'Accuracy model',
  'io-model': 'IO model',
  'embedding-forest': 'Random forest on an embedding',
  'embedding-process': 'Gaussian process on an embedding',
} as const satisfies Readonly<Record<string, string>>;

/** The title of a kind of the package; undefined for others. */
export function ownTitle(kind: string): string | undefined {
  return Object.hasOwn(KIND_TITLES, kind) ? KIND_TITLES[kind as keyof typeof KIND_TITLES] : undefined;
}

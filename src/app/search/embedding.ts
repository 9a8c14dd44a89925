// The embedding that a search in latent space uses: a file, a predictor of the package, or a kind that the package has for the
// space; by default the package's own for the space.
import { existsSync } from 'node:fs';
import type { Embedding } from '../../search/contract.js';
import { predictorEmbedding } from '../../search/predicted.js';
import { STRATEGIES, strategyNamed } from '../../search/strategies/registry.js';
import type { AnySpace } from '../../spaces/space.js';
import { AuspexError } from '../../util/errors.js';
import { printableStart } from '../../util/printable.js';
import { bundledPath, embeddingKinds, embeddingPath, isBundledReference } from '../bundled.js';
import type { SearchPredictors } from './predictors.js';
import type { CheckedRequest } from './request.js';

type Asked = Pick<CheckedRequest, 'embedding' | 'strategy'>;

/**
 * The file of the embedding; undefined where the strategy does without.
 *
 * @throws AuspexError STRATEGY_EMBEDDING where none is named and the package has none, or the strategy takes none;
 * BUNDLED_UNKNOWN
 */
export function embeddingFile({ embedding, strategy }: Asked, { name, cell }: AnySpace): string | undefined {
  // A strategy that takes none refuses it, whatever it is.
  if (!STRATEGIES.get(strategy)?.takesEmbedding) {
    if (embedding !== undefined) strategyNamed(strategy, undefined, {}, { name: embedding, embed: none });
    return undefined;
  }
  if (embedding !== undefined) return namedFile(embedding, name);
  const found = embeddingPath(name);
  if (found !== undefined) return found;
  const why = cell === undefined ? `${name} has no cells, and ` : '';
  throw new AuspexError(
    'STRATEGY_EMBEDDING',
    `the strategy '${strategy}' needs an embedding; ${why}the package has none for ${name}`,
    {
      hint:
        cell === undefined
          ? 'train one that embeds whole networks: auspex train contrastive --data TABLE -o e.onnx, then --embedding e.onnx'
          : 'train one: auspex train arch2vec --data TABLE -o e.onnx, then --embedding e.onnx',
    },
  );
}

const none = (): never => {
  throw new Error('nothing is embedded');
};

function namedFile(embedding: string, space: string): string {
  if (isBundledReference(embedding)) return bundledPath(embedding);
  if (/\.onnx$/i.test(embedding) || existsSync(embedding)) return embedding;
  const found = embeddingPath(space, embedding);
  if (found !== undefined) return found;
  const kinds = embeddingKinds(space);
  throw new AuspexError(
    'BUNDLED_UNKNOWN',
    `'${printableStart(embedding, 40)}' is neither a file nor an embedding that the package has for ${space}`,
    {
      hint: `give the file of a predictor${kinds.length === 0 ? '' : `, or one of ${kinds.join(', ')}`}`,
    },
  );
}

/** Its name is its kind: the file may be moved between two parts of a search. */
export async function openEmbedding(
  file: string | undefined,
  predictors: SearchPredictors,
): Promise<(Embedding & { dispose(): Promise<void> }) | undefined> {
  if (file === undefined) return undefined;
  const predictor = await predictors.load(file);
  try {
    return predictorEmbedding(predictor, predictor.info.kind);
  } catch (error) {
    throw error instanceof AuspexError ? error.within({ file }) : error;
  }
}

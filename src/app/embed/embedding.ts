// What networks are embedded with: a predictor that embeds, the last hidden layer of one that predicts, or latents of nodes.
import { CellAutoencoder } from '../../predictors/cell-autoencoder.js';
import { embeddingOf } from '../../predictors/hidden-layer.js';
import type { Predictor } from '../../predictors/predictor.js';
import { AuspexError } from '../../util/errors.js';
import { BundledPredictors, bundledEmbedding, openPredictor } from '../bundled.js';
import type { EmbedDocument } from '../documents/embed.js';
import type { OpenedReferences } from '../resolve.js';
import type { EmbedRequest } from './embed.js';

export interface Embedding extends Pick<EmbedDocument, 'kind' | 'by'> {
  /** A file or `bundled:NAME`. */
  readonly name: string;
  readonly embed: NonNullable<Predictor['embed']>;
  dispose(): Promise<void>;
}

/** The predictor that was asked for, or a bundled one. @throws AuspexError CANNOT_EMBED, and what opening throws */
export async function embeddingFor(
  { predictor: reference, nodes, threads }: Pick<EmbedRequest, 'predictor' | 'nodes' | 'threads'>,
  networks: OpenedReferences,
): Promise<Embedding> {
  const options = threads === undefined ? {} : { threads };
  // The space of the first network; what is wrong with it is said when it is embedded.
  const space = firstSpace(networks);
  const name = bundledEmbedding(space, reference) ?? reference;
  if (name !== undefined) {
    const given = await openPredictor(name, options);
    const embedding = nodes ? nodesOf(name, given, options) : wholeOf(name, given);
    if (embedding) return embedding;
    await given.dispose();
    throw new AuspexError(
      'CANNOT_EMBED',
      `a predictor of the kind ${given.info.kind} has no ${nodes ? 'latents of nodes' : 'embedding'}`,
      {
        where: { file: name },
        hint: nodes
          ? 'give one of arch2vec, accuracy-model, io-model'
          : 'give one of arch2vec, accuracy-model, io-model, contrastive, or a neural predictor',
      },
    );
  }
  const first = networks.at(0);
  for (const { name: own, predictor: given } of await new BundledPredictors(options).for(first)) {
    const embedding = given.covers(first) || nodes ? undefined : wholeOf(`bundled:${own}`, given);
    if (embedding) return embedding;
    await given.dispose();
  }
  throw new AuspexError('CANNOT_EMBED', `no bundled predictor embeds ${networks.name(0)}`, {
    hint: 'train one: auspex train contrastive --data TABLE -o p.onnx, then --predictor p.onnx',
  });
}

function firstSpace(networks: OpenedReferences): string {
  try {
    return networks.at(0).arch?.space.name ?? '';
  } catch (error) {
    if (error instanceof AuspexError) return '';
    throw error;
  }
}

function wholeOf(name: string, given: Predictor): Embedding | undefined {
  const embedding = embeddingOf(given);
  if (embedding === undefined) return undefined;
  return {
    name,
    kind: given.info.kind,
    by: embedding === given ? 'embedding' : 'hidden-layer',
    embed: (networks, options) => embedding.embed!(networks, options),
    dispose: async () => {
      await given.dispose();
      if (embedding !== given) await embedding.dispose();
    },
  };
}

/** Latents of all nodes, side by side. */
function nodesOf(
  name: string,
  given: Predictor,
  options: { readonly threads?: number },
): Embedding | undefined {
  const autoencoder = CellAutoencoder.of(given, options);
  return (
    autoencoder && {
      name,
      kind: given.info.kind,
      by: 'nodes',
      embed: (networks, options) => autoencoder.latents(networks, options),
      dispose: async () => {
        await given.dispose();
        await autoencoder.dispose();
      },
    }
  );
}

// Cells to latents of their nodes and back, by a predictor that has learned both: arch2vec, the Accuracy model, the IO model.
// Searches move in its latent space: cells near a cell, and cells between two.
import type { Model } from '../graph/graph.js';
import { ArchNetwork } from '../networks/arch-network.js';
import type { Network } from '../networks/network.js';
import { listOf, type Networks } from '../networks/networks.js';
import type { Weights } from '../nn/trainer.js';
import type { SessionOptions } from '../runtime/session.js';
import { spaceNamed } from '../spaces/index.js';
import type { AnySpace, Cell } from '../spaces/space.js';
import { type CellDecoder, decodeCell, decodeValidCell } from './cell-decoder.js';
import { type EntryGraph, entriesModel, weightsWithin } from './entries.js';
import { type Arch2vecOptions, cellsOf, encodeCells } from './models/arch2vec.js';
import { OnnxPredictor } from './onnx-predictor.js';
import type { Matrix, PredictOptions, Predictor } from './predictor.js';
import { type CellState, cellView } from './views/cell.js';

/**
 * How latents become cells. `valid`: the likeliest cell that is an architecture. `plain`: the likeliest operations and edges,
 * whether or not they are an architecture.
 */
export type Decoding = 'valid' | 'plain';

/** A network that was decoded. */
export interface DecodedNetwork {
  readonly network: Network;
  /** The same for architectures that are the same network. */
  readonly key: string;
}

export class CellAutoencoder {
  readonly space: AnySpace;
  readonly decoder: CellDecoder;
  readonly #encoder: OnnxPredictor;

  /** Of a predictor; undefined where it cannot decode. The predictor may be disposed of. */
  static of(predictor: Predictor, session: SessionOptions = {}): CellAutoencoder | undefined {
    const { info } = predictor;
    const { model, decoder } = (info.recipe ?? {}) as unknown as {
      model: Omit<Arch2vecOptions, 'operations'>;
      decoder?: CellDecoder;
    };
    const entry = info.entries.find(({ view, gives }) => view === cellView.name && gives === 'latent');
    if (decoder === undefined || entry === undefined) return undefined;
    const state = entry.state as CellState;
    const space = spaceNamed(state.space);
    if (space.fromCell === undefined) return undefined;
    const weights = [...weightsWithin(predictor.model, '')].filter(([name]) => name.startsWith('encoder.'));
    const options = { ...model, operations: state.vocabulary.length };
    const latents = nodeLatentsModel(state, options, new Map(weights));
    const own = { ...info, labels: [], entries: [{ view: cellView.name, state, gives: 'latent' as const }] };
    return new CellAutoencoder(space, decoder, OnnxPredictor.of(latents, own, session));
  }

  private constructor(space: AnySpace, decoder: CellDecoder, encoder: OnnxPredictor) {
    this.space = space;
    this.decoder = decoder;
    this.#encoder = encoder;
  }

  /** Numbers of a cell: nodes · latent. */
  get width(): number {
    return this.decoder.nodes * this.decoder.latent;
  }

  /** Latents of nodes, (rows, nodes · latent); NaN for networks that are told to `onBad`. */
  latents(networks: Networks, options?: PredictOptions): Promise<Matrix> {
    return this.#encoder.embed!(networks, options);
  }

  /** Latents of one network. */
  async latentsOf(network: Network): Promise<Float64Array> {
    return (await this.latents(listOf([network]))).data;
  }

  /**
   * The network of latents of nodes; undefined where they are of no architecture.
   *
   * @param z (nodes, latent), row by row
   */
  decode(z: ArrayLike<number>, decoding: Decoding = 'valid'): DecodedNetwork | undefined {
    const { space, decoder } = this;
    const archOf = (cell: Cell | undefined): unknown => cell && space.fromCell!(cell);
    const cell =
      decoding === 'plain'
        ? decodeCell(z, decoder)
        : decodeValidCell(z, decoder, (one) => archOf(one) !== undefined);
    const arch = archOf(cell);
    if (arch === undefined) return undefined;
    const network = new ArchNetwork(space, arch);
    return { network, key: network.key() };
  }

  dispose(): Promise<void> {
    return this.#encoder.dispose();
  }
}

/** From cells to latents of nodes: `latent` is (batch, nodes · latent). */
export function nodeLatentsModel(state: CellState, options: Arch2vecOptions, weights: Weights): Model {
  const width = state.nodes * options.latent;
  const entry: EntryGraph = {
    gives: 'latent',
    inputs: cellView.inputs(state),
    write: (s, given) => encodeCells(s, cellsOf(given), options).mean.reshape([-1, width]),
  };
  return entriesModel([entry], weights);
}

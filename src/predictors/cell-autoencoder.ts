// Cells to latents of their nodes and back, by a predictor that has learned both: arch2vec, the Accuracy model, the IO model.
// Searches move in its latent space: cells near a cell, and cells between two.
import type { Model } from '../graph/graph.js';
import { ArchNetwork } from '../networks/arch-network.js';
import type { Network } from '../networks/network.js';
import { listOf, type Networks } from '../networks/networks.js';
import type { Weights } from '../nn/trainer.js';
import type { Value } from '../ops/build.js';
import type { SessionOptions } from '../runtime/session.js';
import { spaceNamed } from '../spaces/index.js';
import type { AnySpace, Cell } from '../spaces/space.js';
import { type CellDecoder, decodeCell, decodeValidCell } from './cell-decoder.js';
import { type EntryGraph, entriesModel, weightsWithin } from './entries.js';
import { fixedEdges } from './fixed-edges.js';
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
    const { decoder } = (info.recipe ?? {}) as unknown as { readonly decoder?: CellDecoder };
    const learned = encoderOf(predictor);
    if (decoder === undefined || learned === undefined) return undefined;
    const { state, options, weights } = learned;
    const space = spaceNamed(state.space);
    if (space.fromCell === undefined) return undefined;
    const latents = nodeLatentsModel(state, options, weights);
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
        : decodeValidCell(z, decoder, (one) => archOf(one) !== undefined, fixedEdges(space));
    const arch = archOf(cell);
    if (arch === undefined) return undefined;
    const network = new ArchNetwork(space, arch);
    return { network, key: network.key() };
  }

  dispose(): Promise<void> {
    return this.#encoder.dispose();
  }
}

interface CellEncoder {
  readonly state: CellState;
  readonly options: Arch2vecOptions;
  readonly weights: Weights;
}

/** The encoder of a predictor that is arch2vec, with a head or without. */
function encoderOf({ info, model }: Predictor): CellEncoder | undefined {
  const entry = info.entries.find(({ view, gives }) => view === cellView.name && gives === 'latent');
  const weights = [...weightsWithin(model, '')].filter(([name]) => name.startsWith('encoder.'));
  const { model: sizes } = (info.recipe ?? {}) as unknown as { model?: Omit<Arch2vecOptions, 'operations'> };
  if (entry === undefined || weights.length === 0 || sizes?.latent === undefined) return undefined;
  const state = entry.state as CellState;
  const options = { ...sizes, operations: state.vocabulary.length };
  return { state, options, weights: new Map(weights) };
}

/** From cells to means of their nodes' latents, (batch, latent); undefined of predictors that have no such latents. */
export function meanLatentsModel(predictor: Predictor): Model | undefined {
  const learned = encoderOf(predictor);
  return learned && latentsModel(learned, (nodes) => nodes.mean([1]));
}

/** From cells to latents of nodes: `latent` is (batch, nodes · latent). */
export function nodeLatentsModel(state: CellState, options: Arch2vecOptions, weights: Weights): Model {
  const width = state.nodes * options.latent;
  return latentsModel({ state, options, weights }, (nodes) => nodes.reshape([-1, width]));
}

/** @param of (batch, nodes, latent) → (batch, width) */
function latentsModel({ state, options, weights }: CellEncoder, of: (nodes: Value) => Value): Model {
  const entry: EntryGraph = {
    gives: 'latent',
    inputs: cellView.inputs(state),
    write: (s, given) => of(encodeCells(s, cellsOf(given), options).mean),
  };
  return entriesModel([entry], weights);
}

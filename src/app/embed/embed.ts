// What `auspex embed` does: networks become rows of numbers, by a predictor that embeds or by the last hidden layer of one that
// predicts. Then the nearest known networks, a file of the rows, and a map of them.
import type { Table } from '../../datasets/table.js';
import { encodeNpy } from '../../inputs/npy.js';
import type { Matrix } from '../../predictors/predictor.js';
import { encodeNpz } from '../../store/npz.js';
import { checkOutputs } from '../../store/outputs.js';
import { readTableFile } from '../../store/table-file.js';
import { writeOutput } from '../../store/write-file.js';
import { AuspexError } from '../../util/errors.js';
import type { EmbedDocument } from '../documents/embed.js';
import { type Problem, problemOf } from '../problem.js';
import {
  type NamedNetworks,
  type OpenedReferences,
  openReferences,
  type ReferenceOptions,
} from '../resolve.js';
import { completeLinkage } from './clusters.js';
import { type Embedding, embeddingFor } from './embedding.js';
import { mapPage, type Projection } from './map.js';
import { nearestRows } from './nearest.js';

export interface EmbedRequest extends ReferenceOptions {
  readonly refs: readonly string[];
  /** A file, `bundled:NAME`, or the kind of a bundled one; by default a bundled one that covers the first network. */
  readonly predictor?: string | undefined;
  /** The latents of all nodes of cells in the place of the embedding: what `auspex decode` takes. */
  readonly nodes?: boolean | undefined;
  /** A .npy or .npz file to write. */
  readonly output?: string | undefined;
  /** How many known networks are listed for each. */
  readonly nearest?: number | undefined;
  /** A table of known networks; by default the networks themselves are. */
  readonly among?: string | undefined;
  /** A label of that table. */
  readonly label?: string | undefined;
  /** An HTML page to write. */
  readonly map?: string | undefined;
  /** How the map is made; principal components by default. */
  readonly projection?: Projection | undefined;
  /** Networks are put into clusters whose members are all nearer to each other than this. */
  readonly clusters?: number | undefined;
  readonly threads?: number | undefined;
  readonly force?: boolean | undefined;
}

/** Embedded networks, and what is known of them. */
export interface Embedded {
  readonly networks: NamedNetworks;
  readonly rows: Matrix;
  /** Of a label; NaN where a network lacks it. */
  readonly values?: Float64Array | undefined;
}

/** Codes: those of references, tables and predictors; CANNOT_EMBED, BAD_OPTION, MAP_TOO_FEW, OUTPUT_…. */
export async function embedNetworks(request: EmbedRequest, signal?: AbortSignal): Promise<EmbedDocument> {
  const { refs, output, map, among, label, nearest, projection, clusters } = request;
  if (projection !== undefined && map === undefined) {
    throw new AuspexError('BAD_OPTION', '--projection is about a map', { hint: 'give --map map.html' });
  }
  if (label !== undefined && among === undefined) {
    throw new AuspexError('BAD_OPTION', '--label needs the table that has it', {
      hint: 'give --among TABLE',
    });
  }
  if (output !== undefined && !/\.np[yz]$/i.test(output)) {
    throw new AuspexError('BAD_OPTION', `'${output}' is neither a .npy nor a .npz file`, {
      hint: 'give -o e.npy (the numbers) or -o e.npz (with the names of networks)',
    });
  }
  const networks = await openReferences(refs, request);
  checkFiles(request, networks);
  const table = among === undefined ? undefined : await readTableFile(among);
  const values = label === undefined ? undefined : table!.column(label);
  const embedding = await embeddingFor(request, networks);
  const { name, kind, by } = embedding;
  try {
    const errors = new Map<number, Problem>();
    const options = signal ? { signal } : {};
    const onBad = (row: number, error: AuspexError): void => void errors.set(row, problemOf(error));
    const asked: Embedded = { networks, rows: await embedding.embed(networks, { ...options, onBad }) };
    const known = table && (await embeddedTable(table, embedding, signal, values));
    const { rows } = asked;
    const page = map === undefined ? undefined : mapPage(name, asked, known, label, { projection, signal });
    const cluster = clusters === undefined ? undefined : clustersOf(asked, clusters);
    if (output !== undefined) await writeOutput(output, bytesOf(output, asked));
    if (map !== undefined) await writeOutput(map, page!);
    return {
      schema: 'auspex.embed/1',
      predictor: name,
      kind,
      by,
      width: rows.width,
      networks: Array.from({ length: networks.count }, (_, row) => {
        const error = errors.get(row);
        if (error) return { ref: networks.name(row), error };
        const point = rows.data.slice(row * rows.width, (row + 1) * rows.width);
        return {
          ref: networks.name(row),
          ...(output === undefined ? { embedding: [...point] } : {}),
          ...(cluster ? { cluster: cluster[row]! } : {}),
          ...(nearest === undefined
            ? {}
            : { nearest: neighbours(point, nearest, known ?? asked, known ? undefined : row) }),
        };
      }),
      ...(cluster ? { clusters: { threshold: clusters!, count: Math.max(-1, ...cluster) + 1 } } : {}),
      ...(table ? { known: { count: table.rows, ...(label === undefined ? {} : { label }) } } : {}),
      ...(output === undefined ? {} : { output }),
      ...(map === undefined ? {} : { map }),
    };
  } finally {
    await embedding.dispose();
  }
}

/** Distances of all pairs are in memory. */
const MOST_CLUSTERED = 5000;

/** @throws AuspexError CLUSTERS_TOO_MANY, BAD_OPTION */
function clustersOf({ rows }: Embedded, threshold: number): Int32Array {
  if (!(threshold > 0)) {
    throw new AuspexError('BAD_OPTION', `--clusters cannot be ${threshold}`, {
      hint: 'give a distance greater than 0; --nearest 1 shows what distances are like',
    });
  }
  if (rows.rows <= MOST_CLUSTERED) return completeLinkage(rows.data, rows.width, threshold);
  throw new AuspexError('CLUSTERS_TOO_MANY', `at most ${MOST_CLUSTERED} networks can be put into clusters`, {
    hint: 'give fewer networks',
  });
}

function checkFiles(
  { predictor, output, map, among, force }: EmbedRequest,
  networks: OpenedReferences,
): void {
  checkOutputs({
    outputs: [
      ...(output === undefined ? [] : [{ path: output, kind: 'arrays' as const }]),
      ...(map === undefined ? [] : [{ path: map, kind: 'html' as const }]),
    ],
    inputs: [...networks.files(), predictor, among],
    force,
  });
}

async function embeddedTable(
  table: Table,
  embedding: Embedding,
  signal: AbortSignal | undefined,
  values: Float64Array | undefined,
): Promise<Embedded> {
  const networks = await openReferences([], { table });
  const rows = await embedding.embed(networks, { onBad: () => {}, ...(signal ? { signal } : {}) });
  return { networks, rows, values };
}

/** @param own the row that the point is of, where it is among the known ones */
function neighbours(
  point: Float64Array,
  count: number,
  { networks, rows, values }: Embedded,
  own: number | undefined,
): NonNullable<EmbedDocument['networks'][number]['nearest']> {
  return nearestRows(point, rows.data, count, (place) => place === own).map(({ place, distance }) => {
    const value = values?.[place];
    return {
      ref: networks.name(place),
      distance,
      ...(value === undefined || Number.isNaN(value) ? {} : { value }),
    };
  });
}

function bytesOf(output: string, { networks, rows }: Embedded): Buffer {
  const dims = [rows.rows, rows.width];
  const data = Float32Array.from(rows.data);
  if (/\.npy$/i.test(output)) return encodeNpy(dims, data);
  const names = Array.from({ length: networks.count }, (_, row) => networks.name(row));
  return encodeNpz({ embedding: { dims, data }, networks: { dims: [names.length], data: names } });
}

// Which known device behaves most like another: devices are compared by what they need for the same networks, apart from a
// constant factor. The networks are those that a user measured, or some that are drawn from search spaces.
import { spearman } from '../../metrics/index.js';
import type { Network } from '../../networks/index.js';
import { SPACES } from '../../spaces/index.js';
import { AuspexError } from '../../util/errors.js';
import { Random } from '../../util/random.js';
import { diskResolver } from '../resolve.js';
import { saidOf } from './fit.js';
import type { Devices } from './library.js';
import type { MeasuredNetwork } from './measured-table.js';

export interface SimilarDevice {
  readonly name: string;
  readonly device: string;
  /** How much slower it is than the one that was asked for, on average. */
  readonly factor: number;
  /** The mean error if its predictions, times a constant, are taken for the other's, in percent. */
  readonly error: number;
  /** Of the order of networks. */
  readonly spearman: number;
}

export interface Similarity {
  readonly to: string;
  readonly networks: number;
  readonly devices: readonly SimilarDevice[];
}

/** Spaces that networks are drawn from, and how many of each. */
const DRAWN: Readonly<Record<string, number>> = {
  nasbench201: 6,
  'ofa-mobilenetv3': 6,
  'ofa-resnet': 6,
  'nnlqp-efficientnet': 4,
  'nnlqp-googlenet': 4,
  'autoformer-tiny': 6,
};
const SEED = 1;
/** Fewer say nothing of a device. */
const LEAST_ROWS = 3;

/** Known devices, most similar first. */
export async function similarTo(name: string, library: Devices): Promise<Similarity> {
  const { device, file } = library.find(name);
  const rows = drawnNetworks().map((network) => ({ network }));
  const model = await library.open(device, file ?? `bundled:${device.name}`);
  const own = await model.predict(rows.map(({ network }) => network));
  const values = Float64Array.from(own, ({ value }) => value);
  return compared(device.name, device.quantity, values, rows, library);
}

/** @throws AuspexError LATENCY_ROWS */
export function similarToRows(
  file: string,
  rows: readonly MeasuredNetwork[],
  library: Devices,
): Promise<Similarity> {
  if (rows.length < LEAST_ROWS) {
    throw new AuspexError('LATENCY_ROWS', `${rows.length} networks are too few to compare devices`, {
      where: { file },
      hint: `measure at least ${LEAST_ROWS}, better 10`,
    });
  }
  const values = Float64Array.from(rows, ({ ms }) => ms);
  return compared(file, 'latency', values, rows, library);
}

async function compared(
  to: string,
  quantity: string,
  values: Float64Array,
  rows: readonly { readonly network: Network }[],
  library: Devices,
): Promise<Similarity> {
  const others = library.bundled().devices.filter((each) => each.name !== to && each.quantity === quantity);
  const said = await saidOf(rows, others, library);
  const devices = others.map(({ name, measured }): SimilarDevice => {
    const other = said.get(name)!;
    const ratios = values.map((value, i) => Math.log(other[i]! / value));
    const middle = ratios.slice().sort()[Math.floor(ratios.length / 2)]!;
    const errors = ratios.map((ratio) => Math.abs(Math.exp(ratio - middle) - 1));
    return {
      name,
      device: measured.device,
      factor: Math.exp(middle),
      error: (100 * errors.reduce((sum, error) => sum + error, 0)) / errors.length,
      spearman: spearman(other, values),
    };
  });
  return { to, networks: rows.length, devices: devices.sort((a, b) => a.error - b.error) };
}

function drawnNetworks(): Network[] {
  const resolver = diskResolver();
  return Object.entries(DRAWN).flatMap(([name, count]) => {
    const space = SPACES.find((each) => each.name === name)!;
    const random = Random.seeded(SEED);
    return Array.from({ length: count }, () =>
      resolver.network(`${name}:${space.format(space.sample(random))}`, { space: name }).settled(),
    );
  });
}

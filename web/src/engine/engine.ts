// What the worker does for the page: opens networks and reports, describes, predicts, compares, measures. Networks are kept
// by the ids that the page gives them.
import { PREFERRED_SPACES } from '../../../src/app/preferred-spaces.js';
import { type Network, OpenedModel } from '../../../src/networks/index.js';
import { decodeModel } from '../../../src/onnx/read.js';
import { AuspexError } from '../../../src/util/errors.js';
import { printableStart } from '../../../src/util/printable.js';
import { describe, describeAsRead, resized } from './describe.js';
import { inRows, knobsOf, networkAt, rowsIn } from './knobs.js';
import { nodeDetails, weightStatistics } from './node-details.js';
import { problemFrom } from './problem.js';
import type {
  Asked,
  ChosenKnobs,
  ComparedHere,
  Described,
  LayerProxy,
  MeasuredHere,
  NamedDevice,
  NodeDetails,
  NodeShares,
  NodeTimes,
  Opened,
  PredictedHere,
  Provider,
  Resized,
  WeightStatistics,
} from './protocol.js';
import { GivenData, type GivenFile, sourceOf, textOf } from './sources.js';

/** Where the page's files are. */
export interface Places {
  /** The folder of the package's predictors. */
  readonly bundled: string;
  /** What networks are run by. */
  readonly provider: Provider;
}

interface Kept {
  readonly name: string;
  readonly network: Network;
}

const REPORTS = /\.jsonl?$/i;
/** What `auspex device calibrate` writes. */
const DEVICE = /\.device\.json$/i;

export class Engine {
  readonly #places: Places;
  readonly #networks = new Map<number, Kept>();

  constructor(places: Places) {
    this.#places = places;
  }

  /** @param ids for networks that are found, in turn */
  async open(asked: Asked, ids: readonly number[]): Promise<Opened[]> {
    const next = [...ids];
    if (asked.kind === 'network') {
      return [
        await this.#attempt(asked.text, async () =>
          this.#keep(next, asked.text, await this.#architecture(asked.text), 0),
        ),
      ];
    }
    const isModel = ({ name }: GivenFile): boolean => /\.(onnx|ort|pb|prototxt)$/i.test(name);
    const reports = asked.files.filter(({ name }) => REPORTS.test(name));
    const others = asked.files.filter((file) => !reports.includes(file));
    const models = others.some(isModel) ? others.filter(isModel) : others;
    const found: Opened[] = [];
    for (const file of models) {
      found.push(await this.#attempt(file.name, async () => this.#model(file, others, next)));
    }
    for (const file of reports) found.push(...(await this.#reports(file)));
    return found;
  }

  close(id: number): void {
    this.#networks.delete(id);
  }

  describe(id: number): Described {
    const { name, network } = this.#kept(id);
    try {
      return describe(id, name, network);
    } catch (error) {
      if (!(error instanceof AuspexError)) throw error;
      // A file that cannot be read at all has nothing to show.
      return describeAsRead(id, name, network.model(), problemFrom(error.within({ file: name })));
    }
  }

  resize(id: number, chosen: ChosenKnobs): Resized {
    return resized(this.#at(id, chosen), this.#kept(id).network);
  }

  node(id: number, row: number, chosen: ChosenKnobs): NodeDetails {
    const opened = this.#kept(id).network.settled();
    const network = this.#at(id, chosen);
    const now = rowsIn(network, opened)?.[row] ?? row;
    // Of a node that another batch has no need of, what the file says of it.
    return now < 0
      ? nodeDetails(opened, opened.cost().nodes[row]!)
      : nodeDetails(network, network.cost().nodes[now]!);
  }

  weight(id: number, name: string): WeightStatistics {
    return weightStatistics(this.#kept(id).network, name);
  }

  /** @param devices documents of devices of the user */
  async predict(id: number, chosen: ChosenKnobs, devices: readonly string[] = []): Promise<PredictedHere> {
    const { name, network: opened } = this.#kept(id);
    const network = Object.keys(chosen).length === 0 ? opened : this.#at(id, chosen);
    const { predictHere, devicesHere, start } = await this.#runtime();
    // What is fetched and compiled at the same time.
    const library = devicesHere(this.#places);
    await Promise.allSettled([start(), library]);
    const predicted = await predictHere(name, network);
    const latencies = await (await library).latencies(network, devices);
    return { ...predicted, labels: [...predicted.labels, ...latencies] };
  }

  async devices(own: readonly string[]): Promise<NamedDevice[]> {
    const { devicesHere } = await this.#runtime();
    return (await devicesHere(this.#places)).named(own);
  }

  /** @param device one of `devices` */
  async nodeLatencies(
    id: number,
    chosen: ChosenKnobs,
    device: string,
    own: readonly string[],
  ): Promise<NodeShares> {
    const { devicesHere } = await this.#runtime();
    const devices = await devicesHere(this.#places);
    return this.#inRows(id, chosen, (network) => devices.nodeLatencies(network, device, own));
  }

  async layerScores(id: number, chosen: ChosenKnobs, proxy: LayerProxy): Promise<NodeShares> {
    const { layerScores } = await this.#runtime();
    return this.#inRows(id, chosen, (network) => layerScores(network, proxy));
  }

  async compare(a: number, b: number): Promise<ComparedHere> {
    const { compareHere } = await import('./compare.js');
    return compareHere(this.#kept(a).network.settled(), this.#kept(b).network.settled());
  }

  async measure(id: number, chosen: ChosenKnobs): Promise<MeasuredHere> {
    const { measureNetwork } = await this.#runtime();
    return measureNetwork(this.#at(id, chosen), this.#places.provider);
  }

  async measureNodes(
    id: number,
    chosen: ChosenKnobs,
    seconds: number,
  ): Promise<NodeTimes & { measured: number; all: number }> {
    const { measureNodes } = await this.#runtime();
    return measureNodes(this.#at(id, chosen), this.#kept(id).name, seconds, this.#places.provider);
  }

  /** Loads what predictions need, before somebody asks for them. */
  async warm(): Promise<void> {
    const { devicesHere, start } = await this.#runtime();
    await Promise.all([start(), devicesHere(this.#places)]);
  }

  /** What runs networks, loaded when it is first needed. */
  async #runtime(): Promise<typeof import('./running.js')> {
    const running = await import('./running.js');
    await running.prepare(this.#places);
    return running;
  }

  #kept(id: number): Kept {
    const kept = this.#networks.get(id);
    if (kept === undefined) throw new AuspexError('NETWORK_CLOSED', 'the network was closed');
    return kept;
  }

  #at(id: number, chosen: ChosenKnobs): Network {
    const { network } = this.#kept(id);
    return networkAt(network, Object.keys(chosen).length === 0 ? [] : knobsOf(network), chosen);
  }

  async #inRows(
    id: number,
    chosen: ChosenKnobs,
    find: (network: Network) => Promise<NodeShares>,
  ): Promise<NodeShares> {
    const network = this.#at(id, chosen);
    const found = await find(network);
    return { ...found, values: inRows(found.values, rowsIn(network, this.#kept(id).network)) };
  }

  async #architecture(text: string): Promise<Network> {
    const { Resolver } = await import('../../../src/networks/index.js');
    return new Resolver({ preferred: PREFERRED_SPACES }).network(text);
  }

  async #model(file: GivenFile, among: readonly GivenFile[], ids: number[]): Promise<Opened> {
    const source = await sourceOf(file);
    const data = new Map(
      await Promise.all(
        among
          .filter((other) => other !== file)
          .map(async (other) => [baseName(other.name), await sourceOf(other)] as const),
      ),
    );
    const opened = new OpenedModel(file.name, file.name, () =>
      decodeModel(source, { externalFiles: new GivenData(data) }),
    );
    // What is no model at all is told now.
    void opened.model;
    return this.#keep(ids, file.name, opened.at({}), source.size);
  }

  #keep(ids: number[], name: string, network: Network, bytes: number): Opened {
    const id = ids.shift();
    if (id === undefined)
      throw new AuspexError('NETWORKS_MANY', 'too many files at once', { hint: 'open fewer files' });
    this.#networks.set(id, { name, network });
    return { kind: 'network', id, name: printableStart(name, 200), bytes };
  }

  async #attempt(name: string, open: () => Promise<Opened>): Promise<Opened> {
    try {
      return await open();
    } catch (error) {
      const told = error instanceof AuspexError ? error.within({ file: name }) : error;
      return { kind: 'problem', name: printableStart(name, 200), problem: problemFrom(told) };
    }
  }

  async #reports(file: GivenFile): Promise<Opened[]> {
    try {
      const name = printableStart(file.name, 200);
      const url = file.kind === 'url' ? { url: file.url } : {};
      if (DEVICE.test(file.name)) return [{ kind: 'device', name, text: await textOf(file) }];
      const { recognised } = await import('./reports.js');
      return recognised(await textOf(file)).map((found) =>
        found.kind === 'report' ? { ...found, name, ...url } : { ...found, name },
      );
    } catch (error) {
      const told = error instanceof AuspexError ? error.within({ file: file.name }) : error;
      return [{ kind: 'problem', name: printableStart(file.name, 200), problem: problemFrom(told) }];
    }
  }
}

function baseName(path: string): string {
  return path.split(/[\\/]/).at(-1)!;
}

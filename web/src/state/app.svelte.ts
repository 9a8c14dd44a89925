// All that is open, and what of it is seen.
import type {
  Asked,
  ChosenKnobs,
  LayerProxy,
  NamedDevice,
  NodeShares,
  NodeTimes,
  Opened,
  Problem,
  Provider,
  Report,
} from '../engine/protocol.js';
import type { GivenFile } from '../engine/sources.js';
import { EngineClient, problemOf } from './client.js';
import { OpenNetwork } from './network.svelte.js';
import { overlayNamed } from './overlays.js';

export interface OpenReport {
  readonly key: number;
  readonly name: string;
  report: Report;
  readonly url?: string;
}

export interface ShownProblem {
  readonly key: number;
  readonly name: string;
  readonly problem: Problem;
}

export type Tab = 'graph' | 'numbers' | 'predictions';
export type Place =
  | { readonly kind: 'start' | 'compare' | 'pareto' }
  | { readonly kind: 'network'; readonly id: number }
  | { readonly kind: 'report'; readonly key: number };

/** Files at once. */
const MOST_FILES = 64;
/** `auspex view`, or a server for trying things. */
const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\])$/;

class App {
  networks = $state.raw<readonly OpenNetwork[]>([]);
  reports = $state.raw<readonly OpenReport[]>([]);
  problems = $state.raw<readonly ShownProblem[]>([]);
  place = $state.raw<Place>({ kind: 'start' });
  tab = $state<Tab>('graph');
  /** What is under way, for longer than half a second. */
  busy = $state<string | undefined>();
  compared = $state.raw<readonly [a: number, b: number] | undefined>();
  readonly reader = new EngineClient();
  readonly #runners: Readonly<Record<Provider, { client: EngineClient; has: Set<number> }>> = {
    wasm: { client: new EngineClient('wasm'), has: new Set() },
    webgpu: { client: new EngineClient('webgpu'), has: new Set() },
  };
  #next = 1;
  #asked = new Map<number, Asked>();
  /** What was opened last: milliseconds from asking to the description. */
  openMs = $state(0);

  get network(): OpenNetwork | undefined {
    const { place } = this;
    return place.kind === 'network' ? this.networks.find(({ id }) => id === place.id) : undefined;
  }

  get report(): OpenReport | undefined {
    const { place } = this;
    return place.kind === 'report' ? this.reports.find(({ key }) => key === place.key) : undefined;
  }

  openFiles(files: readonly File[]): Promise<void> {
    const given = files
      .slice(0, MOST_FILES)
      .map((blob): GivenFile => ({ kind: 'blob', name: blob.name, blob }));
    return given.length === 0 ? Promise.resolve() : this.open({ kind: 'files', files: given });
  }

  async open(asked: Asked): Promise<void> {
    const start = performance.now();
    const count = asked.kind === 'files' ? asked.files.length : 1;
    const ids = Array.from({ length: count }, () => this.#next++);
    await this.#during('Reading', async () => {
      const found = await this.reader.call('open', asked, ids);
      for (const one of found) await this.#add(one, asked);
    });
    this.openMs = performance.now() - start;
    this.#warm();
  }

  #isWarm = false;

  /** Where it costs no connection, predictions are made ready while the graph is looked at. */
  #warm(): void {
    if (this.#isWarm || this.networks.length === 0 || !LOOPBACK.test(location.hostname)) return;
    this.#isWarm = true;
    this.reader.call('warm').catch(() => {
      // They say so themselves when they are asked for.
    });
  }

  async #add(opened: Opened, asked: Asked): Promise<void> {
    const key = this.#next++;
    if (opened.kind === 'problem') this.#tell(opened.name, opened.problem);
    else if (opened.kind === 'profile') this.#overlay(opened.profile);
    else if (opened.kind === 'device') this.#addDevice(opened.text);
    else if (opened.kind === 'report') {
      this.reports = [
        ...this.reports,
        { key, name: opened.name, report: opened.report, ...(opened.url ? { url: opened.url } : {}) },
      ];
      this.place = { kind: 'report', key };
    } else {
      try {
        const network = new OpenNetwork(await this.reader.call('describe', opened.id));
        this.#asked.set(opened.id, asked);
        this.networks = [...this.networks, network];
        this.place = { kind: 'network', id: opened.id };
        if (network.described.problem) {
          // Its graph shows the node that is wrong; there are no numbers.
          this.tab = 'graph';
          this.#tell(opened.name, network.described.problem);
        }
      } catch (error) {
        this.#tell(opened.name, problemOf(error));
      }
    }
  }

  /** Devices of the user, as documents. */
  readonly #devices = new Set<string>();

  #addDevice(text: string): void {
    this.#devices.add(text);
    // All are predicted again.
    for (const network of this.networks) network.predicted = undefined;
    this.devices = [];
    this.tab = 'predictions';
  }

  /** Measured times are for the network of their name, or else for the one that is seen. */
  #overlay(profile: NodeTimes): void {
    const base = (path: string): string => path.split(/[\\/]/).at(-1)!;
    const network =
      this.networks.find(({ described }) => base(described.name) === base(profile.network)) ??
      this.network ??
      this.networks.at(-1);
    if (network === undefined) {
      this.#tell(profile.network, {
        code: 'PROFILE_ALONE',
        message: 'times of a network that is not open',
        hint: `open ${base(profile.network)} first`,
        at: [],
      });
      return;
    }
    network.times = profile;
    network.overlayName = 'time';
    this.place = { kind: 'network', id: network.id };
    this.tab = 'graph';
  }

  #tell(name: string, problem: Problem): void {
    this.problems = [...this.problems, { key: this.#next++, name, problem }].slice(-8);
  }

  tell(name: string, error: unknown): void {
    const problem = problemOf(error);
    if (problem.code !== 'CANCELLED') this.#tell(name, problem);
  }

  dismiss(key: number): void {
    this.problems = this.problems.filter((problem) => problem.key !== key);
  }

  closeNetwork(network: OpenNetwork): void {
    network.dispose();
    this.networks = this.networks.filter((one) => one !== network);
    this.#asked.delete(network.id);
    void this.reader.call('close', network.id);
    for (const { client, has } of Object.values(this.#runners)) {
      if (has.delete(network.id)) void client.call('close', network.id);
    }
    if (this.compared?.includes(network.id)) this.compared = undefined;
    this.problems = [];
    const { place } = this;
    if (place.kind === 'network' && place.id === network.id) {
      const last = this.networks.at(-1);
      this.place = last ? { kind: 'network', id: last.id } : { kind: 'start' };
    }
  }

  closeReport(key: number): void {
    this.reports = this.reports.filter((report) => report.key !== key);
    this.place = { kind: 'start' };
  }

  #sizing: { network: OpenNetwork; chosen: ChosenKnobs } | undefined;
  #isSizing = false;

  /** Counts at other sizes; while one set is computed, only the latest of the others waits. */
  async resize(network: OpenNetwork, chosen: ChosenKnobs): Promise<void> {
    network.chosen = chosen;
    this.#sizing = { network, chosen };
    if (this.#isSizing) return;
    this.#isSizing = true;
    while (this.#sizing !== undefined) {
      const { network: of, chosen: at } = this.#sizing;
      this.#sizing = undefined;
      try {
        const found = await this.reader.call('resize', of.id, at);
        of.counts = found.counts;
        of.outputs = found.outputs;
        of.totals = found.totals;
        of.timeline = found.timeline;
        of.sizesProblem = undefined;
        // They were of other sizes.
        of.shares = {};
      } catch (error) {
        of.sizesProblem = problemOf(error);
      }
    }
    this.#isSizing = false;
  }

  /** A worker that runs networks, so that the one that reads files stays free. */
  async runner(network: OpenNetwork, provider: Provider = 'wasm'): Promise<EngineClient> {
    const runner = this.#runners[provider];
    if (!runner.has.has(network.id)) {
      await runner.client.call('open', this.#alone(network), [network.id]);
      runner.has.add(network.id);
    }
    return runner.client;
  }

  /** How a network is opened again, without the others that were opened with it. */
  #alone({ id, described: { name } }: OpenNetwork): Asked {
    const asked = this.#asked.get(id)!;
    if (asked.kind === 'network') return asked;
    const files = asked.files.filter((file) => file.name === name || !/\.(onnx|jsonl?)$/i.test(file.name));
    return { ...asked, files };
  }

  async predict(network: OpenNetwork): Promise<void> {
    network.predicted = await this.reader.call('predict', network.id, {}, [...this.#devices]);
  }

  /** For the overlay of latency; those of the user first. */
  devices = $state.raw<readonly NamedDevice[]>([]);

  /** Computes an overlay for a network at its sizes. */
  async compute(network: OpenNetwork, name: 'latency' | LayerProxy): Promise<void> {
    await this.#during(`Computing ${overlayNamed(name)!.title}`, async () => {
      const found = await (name === 'latency'
        ? this.#nodeLatencies(network)
        : (await this.runner(network)).call('layerScores', network.id, network.chosen, name));
      network.shares = { ...network.shares, [name]: found };
    });
  }

  async #nodeLatencies(network: OpenNetwork): Promise<NodeShares> {
    const own = [...this.#devices];
    if (this.devices.length === 0) this.devices = await this.reader.call('devices', own);
    network.device ||= this.devices[0]?.name ?? '';
    return this.reader.call('nodeLatencies', network.id, network.chosen, network.device, own);
  }

  /** Ends what is under way. */
  async cancel(): Promise<void> {
    for (const { client, has } of Object.values(this.#runners)) {
      client.restart();
      has.clear();
    }
    this.reader.restart();
    for (const network of this.networks) await this.reader.call('open', this.#alone(network), [network.id]);
  }

  async #during(what: string, work: () => Promise<void>): Promise<void> {
    const timer = setTimeout(() => {
      this.busy = what;
    }, 500);
    try {
      await work();
    } catch (error) {
      this.tell(what, error);
    } finally {
      clearTimeout(timer);
      this.busy = undefined;
    }
  }

  during(what: string, work: () => Promise<void>): Promise<void> {
    return this.#during(what, work);
  }
}

export const app = new App();

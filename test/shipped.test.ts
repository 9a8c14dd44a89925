// The predictors that come with the package: each is what the list says, and predicts.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import '../src/ops/index.js';
import { ArchNetwork } from '../src/networks/arch-network.js';
import { listOf } from '../src/networks/networks.js';
import { CellAutoencoder } from '../src/predictors/cell-autoencoder.js';
import { decodePredictor } from '../src/predictors/load.js';
import { predictionsOf } from '../src/predictors/predictions.js';
import { nasBench201 } from '../src/spaces/cells/nasbench201.js';
import { spaceNamed } from '../src/spaces/index.js';
import { Random } from '../src/util/random.js';
import { warmRun } from './warm.testing.js';

const root = resolve(import.meta.dirname, '..');
const folder = join(root, 'bundled');
interface ListedLabel {
  name: string;
  recipe?: { name: string; about: string };
}
const { predictors, trunks, embeddings } = JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8')) as {
  predictors: { file: string; view: string; spaces: string[]; about: string; labels: ListedLabel[] }[];
  trunks: { file: string; kind: string; space: string }[];
  embeddings: { file: string; kind: string; space: string }[];
};

/** Networks for those that take any file: a space of image classifiers. */
const IMAGE_SPACES: Readonly<Record<string, string>> = { onnx: 'ofa-mobilenetv3' };

describe('predictors of the package', () => {
  it('are all listed, and take less than 30 MB; those of accuracy less than 12 MB', () => {
    const files = readdirSync(folder).filter((name) => name.endsWith('.onnx'));
    expect([...predictors, ...trunks, ...embeddings].map(({ file }) => file).sort()).toEqual(files.sort());
    const bytes = files.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
    expect(bytes).toBeLessThan(30e6);
    const accuracies = predictors.filter(({ about }) => about.includes('accuracy'));
    const ofAccuracy = accuracies.reduce((sum, { file }) => sum + statSync(join(folder, file)).size, 0);
    expect(ofAccuracy).toBeLessThan(12e6);
  });

  it.each(predictors)('$file predicts what the list says', async ({ file, spaces, labels: listed }) => {
    const labels = listed.map(({ name }) => name);
    const predictor = await decodePredictor(readFileSync(join(folder, file)), { threads: 1 });
    const { info } = predictor;
    expect(info.seen.spaces).toEqual(spaces);
    const named = info.labels.map(({ name, unit, better, recipe }) => ({
      ...{ name, unit, better },
      ...(recipe ? { recipe } : {}),
    }));
    expect(named).toEqual(listed);
    const random = Random.seeded(3);
    // The first space whose networks it is used for: some only teach it.
    const of = spaces
      .map((name) => spaceNamed(IMAGE_SPACES[name] ?? name))
      .find((space) => predictor.covers(new ArchNetwork(space, space.sample(random))) === undefined)!;
    const networks = listOf(Array.from({ length: 20 }, () => new ArchNetwork(of, of.sample(random))));
    const predictions = await predictor.predict!(networks);
    labels.forEach((label) => {
      const found = [...predictions.column(label).values];
      // Different architectures are told apart.
      expect(new Set(found).size).toBeGreaterThan(10);
      for (const [row, value] of found.entries()) {
        expect(value).toBeGreaterThan(0);
        const { low, high } = predictions.at(row, label);
        expect(low! < value && value < high!).toBe(true);
      }
    });
    await predictor.dispose();
  });

  it('say one accuracy of two cells that are the same network, and two latencies', async () => {
    const same = [
      '|nor_conv_3x3~0|+|none~0|skip_connect~1|+|none~0|none~1|nor_conv_3x3~2|',
      '|nor_conv_3x3~0|+|none~0|none~1|+|none~0|nor_conv_3x3~1|none~2|',
    ];
    const valuesOf = async (file: string): Promise<Float64Array[]> => {
      const predictor = await decodePredictor(readFileSync(join(folder, file)), { threads: 1 });
      const networks = same.map((text) => new ArchNetwork(nasBench201, nasBench201.parse(text)));
      const { values } = await predictionsOf(predictor, listOf(networks));
      await predictor.dispose();
      return [values.slice(0, values.length / 2), values.slice(values.length / 2)];
    };
    const accuracies = await valuesOf('nasbench201-accuracy.onnx');
    expect(accuracies[0]).toEqual(accuracies[1]);
    const latencies = await valuesOf('nasbench201-latency.onnx');
    expect(latencies[0]).not.toEqual(latencies[1]);
  });

  it.each(trunks)('$file begins $kind for $space', async ({ file, kind, space }) => {
    const predictor = await decodePredictor(readFileSync(join(folder, file)), { threads: 1 });
    expect(predictor.info.kind).toBe(kind);
    // What begins with any network says itself what it has seen.
    if (space !== 'any') expect(predictor.info.seen.spaces).toEqual([space]);
    await predictor.dispose();
  });

  it.each(embeddings)('$file embeds and decodes cells of $space', async ({ file, kind, space }) => {
    const predictor = await decodePredictor(readFileSync(join(folder, file)), { threads: 1 });
    expect([predictor.info.kind, predictor.info.seen.spaces]).toEqual([kind, [space]]);
    const { example, format } = spaceNamed(space);
    const network = new ArchNetwork(spaceNamed(space), spaceNamed(space).parse(example));
    const autoencoder = CellAutoencoder.of(predictor)!;
    // The example of a space comes back from its latents.
    const { network: decoded } = autoencoder.decode(await autoencoder.latentsOf(network))!;
    expect(decoded.arch!.text).toBe(format(network.arch!.value));
    const { data } = await predictor.embed!(listOf([network]));
    expect(data.every(Number.isFinite)).toBe(true);
    await Promise.all([predictor.dispose(), autoencoder.dispose()]);
  });

  it('has embeddings of at most 3 MB together', () => {
    const sizes = embeddings.map(({ file }) => statSync(join(folder, file)).size);
    expect(sizes.reduce((a, b) => a + b)).toBeLessThanOrEqual(3_000_000);
  });

  const ofCells = predictors.filter(({ view }) => view === 'cell');
  it.each([...new Set(ofCells.flatMap(({ spaces }) => spaces))])('are asked for a text of %s', (name) => {
    const { example } = spaceNamed(name);
    const { status, stdout, stderr } = warmRun(['predict', example]);
    expect(stderr).toBe('');
    expect(status).toBe(0);
    for (const { labels } of ofCells.filter(({ spaces }) => spaces.includes(name))) {
      for (const label of labels) expect(stdout).toContain(label.name);
    }
    const json = warmRun(['predict', example, '--json']);
    const { space, predictions, cost } = JSON.parse(json.stdout);
    expect(space).toBe(name);
    expect(cost.parameters).toBeGreaterThan(0);
    expect(predictions[0].low).toBeLessThan(predictions[0].value);
  });

  it('rank small-image classifiers of spaces that have none of their own, and say why not others', () => {
    const asked = (text: string): string => warmRun(['predict', text]).stdout;
    expect(asked('nats-size:64:64:64:64:64')).toContain('cifar10_accuracy');
    expect(asked(spaceNamed('nasbench201').example)).not.toContain('cifar10_accuracy');
    expect(asked(spaceNamed('accel-mnasnet').example)).toContain('takes');
  });
});
